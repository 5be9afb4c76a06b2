import {
  checksumAddress,
  type ExactPayload,
  isAddress,
  isExactOffer,
  MAX_TOKEN_LENGTH,
  type PaymentOffer,
  planIdOf,
  readExactPayload,
  type X402PaymentRequired,
} from "@turnpike/payments/protocol";
import type { ReadFacts } from "../permissions/permission-facts.ts";
import type { PermissionRequest } from "../permissions/permission-request.ts";
import type { OrderRecord, PlanRecord } from "../records.ts";
import type { TokenInput } from "../tokens/inspect-token.ts";
import type { ExactPayment } from "./exact-ports.ts";

/** A payment by `exact`, the plan it names, and the offer it answers: null once that is not made any more. */
export type ExactRequest = {
  payment: ExactPayment;
  planId: string | null;
  offer: PaymentOffer | null;
};

/** A payment that may buy a plan for its request. */
export type Bought = {
  request: PermissionRequest;
  payment: ExactPayment;
  plan: PlanRecord;
  facts: ReadFacts;
  /** The plan's order that the payment pays, whatever became of it. */
  order: OrderRecord | null;
  /** The builder's agent that the offer names. */
  agentId: string | null;
  /** Credits the request takes of those bought. */
  amount: bigint;
};

/** The payment in a token's place, or null when the token is none by `exact`. */
export function readExact(
  token: TokenInput,
  requirement: X402PaymentRequired,
  digest: (text: string) => string,
): ExactRequest | null {
  const isShort = typeof token !== "string" || token.length <= MAX_TOKEN_LENGTH;
  const payload = isShort ? readExactPayload(token) : null;
  if (!payload || !isWellFormed(payload)) return null;
  const accepted = payload.accepted as PaymentOffer;
  const planId = planIdOf(accepted);
  const offer =
    requirement.accepts.find((each) => isExactOffer(each) && planIdOf(each) === planId) ?? null;
  const payment = paymentOf(payload, offer ?? accepted, digest);
  return { payment, planId: planId ?? null, offer };
}

const FIELDS: [keyof ExactPayload["payload"]["authorization"], RegExp][] = [
  ["from", /^0x[0-9a-f]{40}$/i],
  // No token transfers to the zero address.
  ["to", /^0x(?!0{40})[0-9a-f]{40}$/i],
  ["value", /^\d{1,78}$/],
  ["validAfter", /^\d{1,15}$/],
  ["validBefore", /^\d{1,15}$/],
  ["nonce", /^0x[0-9a-f]{64}$/i],
];

/** The members of an authorization as the chain can read them; a smart account's signature has at most 4,000 bytes. */
const isWellFormed = ({ payload: { signature, authorization } }: ExactPayload): boolean =>
  /^0x([0-9a-f]{2}){1,4000}$/i.test(signature) &&
  FIELDS.every(([name, form]) => isPlain(authorization[name]) && form.test(authorization[name]));

/** Some clients write numbers. */
const isPlain = (value: unknown): boolean => typeof value === "string" || typeof value === "number";

function paymentOf(
  { payload: { signature, authorization } }: ExactPayload,
  { asset = "" }: PaymentOffer,
  digest: (text: string) => string,
): ExactPayment {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const spelled = JSON.stringify([asset, from, nonce]).toLowerCase();
  return {
    id: `exact_${digest(spelled)}`,
    payer: checksumAddress(from),
    asset: isAddress(asset) ? checksumAddress(asset) : asset,
    payTo: checksumAddress(to),
    value: BigInt(value),
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce: nonce.toLowerCase(),
    signature,
  };
}

/** Whether the payment buys a plan; a stock server's offer names none. */
export const isForPlan = ({ offer }: ExactRequest): boolean =>
  offer === null || planIdOf(offer) !== undefined;
