import {
  type AccessToken,
  type FacilitatorInput,
  type PaymentOffer,
  pathOf,
  planIdOf,
  type RequestProof,
  readNetwork,
  readSignatureInput,
  type SettleInput,
  toJson,
  type VerifyInput,
  type X402PaymentRequired,
} from "@turnpike/payments/protocol";
import type { Rails } from "../rails/rails.ts";
import type { TokenInput } from "../tokens/inspect-token.ts";

/** A verify or settle request, whichever of the two bodies it arrived in. */
export type PermissionRequest = {
  token: TokenInput;
  /** The request's signature by the token's holder. */
  proof?: RequestProof | undefined;
  requirement: X402PaymentRequired;
  maxAmount: bigint | undefined;
  reserve: boolean;
  /** The request's id: the caller's, one derived from a key of the caller or payer, or a new one. */
  agentRequestId: string;
  /** Tells a verify that is sent again from another attempt at the request. */
  attemptId?: string | undefined;
  /** What only the client of a payment by `exact` can repeat, where the caller says it. */
  requestDigest?: string | undefined;
  /** What makes two requests the same: everything but the id. A mere check does not ask for it. */
  fingerprintText: () => string;
};

/**
 * Reads the SDK's body or a stock x402 facilitator's into one request. Its id follows from the nonce of a
 * signed request, else it is `agentRequestId`, else it follows from the caller's `Idempotency-Key` header, so that a repeat is the same request.
 */
export function readPermissionRequest(
  ids: RequestIds,
  input: VerifyInput | SettleInput | FacilitatorInput,
): PermissionRequest {
  if ("paymentPayload" in input) return fromFacilitator(ids, input);
  const { paymentRequired, x402AccessToken, maxAmount, proof, requestDigest } = input;
  return {
    token: x402AccessToken,
    proof,
    requirement: paymentRequired,
    maxAmount,
    reserve: "reserve" in input ? (input.reserve ?? false) : false,
    attemptId: "attemptId" in input ? input.attemptId : undefined,
    requestDigest,
    agentRequestId: signedId(ids, input) ?? input.agentRequestId ?? idOf(ids, input.idempotencyKey),
    fingerprintText: () =>
      JSON.stringify([x402AccessToken, paymentRequired, maxAmount?.toString()]),
  };
}

// The payload's `resource` and `extensions` are the payer's claims and outside the signature: nothing is decided by
// them. A token bound to a resource is therefore refused here, and the payer's `payment-identifier` names no request: one
// settlement would answer for every request of that name that a server works for.
function fromFacilitator(
  ids: RequestIds,
  { paymentPayload, paymentRequirements, idempotencyKey }: FacilitatorInput,
): PermissionRequest {
  const { amount } = paymentRequirements;
  return {
    token: paymentPayload,
    requirement: { x402Version: 2, accepts: [paymentRequirements] },
    maxAmount: amount !== undefined && /^[1-9]\d{0,77}$/.test(amount) ? BigInt(amount) : undefined,
    reserve: false,
    agentRequestId: idOf(ids, idempotencyKey),
    fingerprintText: () => JSON.stringify([paymentPayload, paymentRequirements]),
  };
}

type RequestIds = { randomId(): string; digest(text: string): string };

/**
 * The id of a signed request follows from its nonce, whatever the caller calls it: what its holder signed once is paid
 * once. Null without a signature.
 */
function signedId(
  { digest }: RequestIds,
  { proof, x402AccessToken }: Pick<VerifyInput, "proof" | "x402AccessToken">,
): string | null {
  const signed = proof && readSignatureInput(proof.signatureInput);
  return signed ? `req_${digest(toJson([x402AccessToken, signed.nonce]))}` : null;
}

/** The id that follows from the caller's key, or a new one without. */
const idOf = ({ randomId, digest }: RequestIds, idempotencyKey: string | undefined): string =>
  idempotencyKey === undefined ? randomId() : `req_${digest(idempotencyKey)}`;

/** The offer a token answers: the one of its plan, on the plan's rail. */
export function findOffer(
  { accepts }: X402PaymentRequired,
  planId: string,
  isOnRail: (offer: PaymentOffer) => boolean,
): PaymentOffer | undefined {
  return accepts.find((offer) => planIdOf(offer) === planId && isOnRail(offer));
}

/**
 * The same offer before the plan and its price are read: a token answers an offer on the plan's rail, or it is refused.
 * What is read for a request is therefore read for the agent that is decided on.
 */
export function findSignedOffer(
  requirement: X402PaymentRequired,
  token: AccessToken,
  rails: Pick<Rails, "find">,
): PaymentOffer | undefined {
  const rail = rails.find(token.accepted?.scheme ?? "");
  const { planId } = token.payload.authorization;
  return rail && findOffer(requirement, planId, ({ scheme }) => rails.find(scheme) === rail);
}

/** What a call is for, the same in every attempt of it: method, path and agent. `scheme` is the spelling of its offer. */
export function subjectOf(
  { requirement: { accepts, resource } }: PermissionRequest,
  { planId, scheme, agentId }: { planId: string; scheme: string; agentId: string | null },
): string {
  const offer = accepts.find((entry) => planIdOf(entry) === planId && entry.scheme === scheme);
  return `${offer?.extra?.httpVerb ?? "ANY"} ${resource ? pathOf(resource.url) : "/"} ${agentId ?? ""}`;
}

/** The agent an offer names. */
export const agentIdOf = (offer: PaymentOffer | undefined): string | undefined =>
  offer?.extra?.agentId;

/** Whether an offer's network is the rail's, or an alias of it. */
export const isNetwork = (offer: PaymentOffer, network: string): boolean =>
  offer.network === undefined || readNetwork(offer.network) === network;
