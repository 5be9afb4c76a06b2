import {
  type FacilitatorInput,
  type PaymentOffer,
  PaymentsError,
  planIdOf,
  readNetwork,
  type SettleInput,
  toJson,
  type VerifyInput,
  type X402PaymentRequired,
} from "@turnpike/payments/protocol";
import type { TokenInput } from "../tokens/inspect-token.ts";

/** A verify or settle request, whichever of the two bodies it arrived in. */
export type PermissionRequest = {
  token: TokenInput;
  requirement: X402PaymentRequired;
  maxAmount: bigint | undefined;
  reserve: boolean;
  agentRequestId: string | undefined;
  /** What makes two requests the same: everything but the id. */
  fingerprintText: string;
};

/** Reads the SDK's body or a stock x402 facilitator's into one request. */
export function readPermissionRequest(
  input: VerifyInput | SettleInput | FacilitatorInput,
): PermissionRequest {
  if ("paymentPayload" in input) return fromFacilitator(input);
  const { paymentRequired, x402AccessToken, maxAmount, agentRequestId } = input;
  return {
    token: x402AccessToken,
    requirement: paymentRequired,
    maxAmount,
    reserve: "reserve" in input ? (input.reserve ?? false) : false,
    agentRequestId,
    fingerprintText: toJson([x402AccessToken, paymentRequired, maxAmount]),
  };
}

// The payload's `resource` and `extensions` are the payer's claims and outside the signature: nothing is decided by
// them. A token bound to a resource is therefore refused here, and each settle is a new request.
function fromFacilitator({
  paymentPayload,
  paymentRequirements,
}: FacilitatorInput): PermissionRequest {
  const { amount } = paymentRequirements;
  return {
    token: paymentPayload,
    requirement: { x402Version: 2, accepts: [paymentRequirements] },
    maxAmount: amount !== undefined && /^[1-9]\d{0,77}$/.test(amount) ? BigInt(amount) : undefined,
    reserve: false,
    agentRequestId: undefined,
    fingerprintText: toJson([paymentPayload, paymentRequirements]),
  };
}

/** The offer a token answers: the one of its plan, on the plan's rail. */
export function findOffer(
  { accepts }: X402PaymentRequired,
  planId: string,
  isOnRail: (offer: PaymentOffer) => boolean,
): PaymentOffer | undefined {
  return accepts.find((offer) => planIdOf(offer) === planId && isOnRail(offer));
}

/** The agent an offer names. */
export const agentIdOf = (offer: PaymentOffer | undefined): string | undefined =>
  offer?.extra?.agentId;

/** The network of an offer in its own spelling, or the rail's. */
export const networkOfOffer = (offer: PaymentOffer | undefined, fallback: string): string =>
  offer?.network === undefined ? fallback : offer.network;

/** Whether an offer's network is the rail's, or an alias of it. */
export const isNetwork = (offer: PaymentOffer, network: string): boolean =>
  offer.network === undefined || readNetwork(offer.network) === network;

/** Refuses an amount outside a plan's range. */
export const invalidAmount = (message: string): PaymentsError =>
  new PaymentsError("invalid_amount", message, { details: [{ path: "maxAmount", message }] });
