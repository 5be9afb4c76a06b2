import {
  type ExactPayload,
  encodeHeader,
  type ForeignOffer,
  type PaymentOffer,
  PaymentsError,
  planIdOf,
} from "@turnpike/payments/protocol";
import { directPrice } from "../offer-cost.ts";
import type { PlaygroundService } from "../ports.ts";
import { type Fact, fact, type RunInput } from "../run.ts";
import { shortAddress } from "../short-address.ts";
import type { StepContext, StepEnd } from "./step.ts";

/** A payment by `exact` that a run sends. */
export type SignedPayment = {
  offer: ForeignOffer;
  payload: ExactPayload["payload"];
  /** Signed for an account of the service, not by a wallet of the person's own. */
  isOfAccount: boolean;
  header: string;
  price: string;
  /** Until when the seller can collect it: `14:11:28 UTC`. */
  until: string;
};

const DEFAULT_MAX_DOLLARS = "1";
const MILLIONTHS = 6;

/** Step 3 by `exact`: shows the payment, and has it signed once the person agrees. */
export async function signPayment(
  context: StepContext,
  given: PaymentOffer,
): Promise<StepEnd<SignedPayment>> {
  const { input, service, approve } = context;
  // Read from a 402, and judged whole before it became payable.
  const offer = given as unknown as ForeignOffer;
  const { price, network } = directPrice(offer) ?? { price: "", network: offer.network };
  const end = (outcome: StepEnd["outcome"], values = {}): StepEnd<SignedPayment> => ({
    outcome,
    values: { price, seller: shortAddress(offer.payTo), ...values },
    found: null,
  });
  const refusedBy = (cause: unknown) => {
    if (!PaymentsError.is(cause)) throw cause;
    const { code: reason, message, hint, details } = cause;
    const told = { message, hint: details?.[0]?.message ?? hint };
    return { ...end("mint-refused", told), reason };
  };
  if (input.token.kind === "none") return end("token-none");
  if (input.token.kind === "paste") return end("token-not-taken");
  if (!service.account || !service.authorize) return end("sign-in-needed", { cost: price });
  if (input.token.kind !== "wallet") {
    const isOwn = await isOfThisService(service, given).catch(refusedBy);
    if (typeof isOwn === "object") return isOwn;
    if (isOwn) return end("wallet-only");
  }
  const cap = input.maxDollars ?? DEFAULT_MAX_DOLLARS;
  if (BigInt(offer.amount) > millionthsOf(cap))
    return end("price-over-cap", { cap: `${cap} USDC` });
  if (input.token.kind === "wallet" && !isDollars(price)) {
    const hint = "Choose an offer in USDC.";
    return end("mint-refused", { message: "its token’s worth is not known.", hint });
  }
  const { host } = new URL(input.url);
  const secs = Math.min(300, Math.max(10, offer.maxTimeoutSeconds ?? 60));
  const checks = checksOf(offer, price, cap);
  const asked = { offer, price, network, host, secs, checks };
  const answer = await approve?.(asked);
  if (!answer) return end("not-approved");
  const idempotencyKey = crypto.randomUUID();
  try {
    const payload =
      answer === true
        ? await service.authorize({ offer, resource: input.url, idempotencyKey })
        : answer;
    return signed({ input, offer, price, payload, isOfAccount: answer === true });
  } catch (cause) {
    return refusedBy(cause);
  }
}

type Signing = Omit<SignedPayment, "header" | "until"> & { input: RunInput };

/** Whether the offer is of a plan of this service, whose accounts pay for plans with tokens (ADR 86). */
async function isOfThisService(service: PlaygroundService, offer: PaymentOffer): Promise<boolean> {
  const planId = planIdOf(offer);
  return planId !== undefined && (await service.readPlan(planId)) !== null;
}

function signed({ input, offer, price, payload, isOfAccount }: Signing): StepEnd<SignedPayment> {
  const { signature } = payload;
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
  const at = (secs: string) => new Date(Number(secs) * 1000).toISOString().slice(0, 19);
  const until = `${at(validBefore).slice(11)} UTC`;
  const resource = { url: input.url };
  const header = encodeHeader({ x402Version: 2, resource, accepted: offer, payload });
  return {
    outcome: "signed",
    values: { price, seller: shortAddress(to), until },
    facts: [
      fact("from", from, null, "who pays"),
      fact("to", to, null, "recipient of the offer, payTo"),
      fact("value", value, null, price),
      fact("validAfter", validAfter, null, `${at(validAfter)} UTC`),
      fact("validBefore", validBefore, null, `${at(validBefore)} UTC`),
      fact("nonce", nonce, null, "random; the chain takes it once"),
      fact("signature", signature, null, "of TransferWithAuthorization (EIP-712)"),
      fact("verifyingContract", offer.asset, null, "the token"),
    ],
    found: { offer, payload, isOfAccount, header, price, until },
  };
}

/** Whether the price is in USDC: of other tokens neither decimals nor worth are known. */
const isDollars = (price: string): boolean => /^[\d.]+ USDC$/.test(price);

/** What is known before anything is signed. */
function checksOf(offer: ForeignOffer, price: string, cap: string): Fact[] {
  return [
    isDollars(price)
      ? fact("asset", "", true, "The token is USDC")
      : fact("asset", "", null, "The token is not a known one"),
    fact("amount", "", true, `Within your maximum of ${cap} USDC`),
    fact("payTo", "", null, `Goes to ${shortAddress(offer.payTo)}, as the offer says`),
    fact("nonce", "", true, "Can be collected once"),
  ];
}

function millionthsOf(dollars: string): bigint {
  const [units = "0", fraction = ""] = dollars.split(".");
  return (
    BigInt(units || "0") * 1_000_000n +
    BigInt(fraction.slice(0, MILLIONTHS).padEnd(MILLIONTHS, "0"))
  );
}
