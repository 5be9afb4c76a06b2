import type { AccessToken } from "../access-token-schema.ts";
import { decodeBase64 } from "../encoding/base64.ts";
import { readJson } from "../json.ts";
import type { PaymentOffer } from "../payment-required.ts";
import { planIdOf } from "../plans/plan-id-of.ts";

/** x402's scheme for one payment of an exact amount: the payer signs a transfer (EIP-3009). */
export const EXACT = "exact";

/** What a payer signs, as typed data (EIP-712): the transfer of EIP-3009. */
export const TRANSFER_WITH_AUTHORIZATION = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const;

/** Whether a text is a price of a request in dollars, with at most six decimals: `$0.01`. */
export const isDollarPrice = (text: string): boolean => /^\$\d{1,9}(\.\d{1,6})?$/.test(text);

/** A stock client's payment by `exact`. Proves nothing: only the service checks its signature. */
export type ExactPayload = {
  accepted: PaymentOffer & { network: string };
  payload: {
    signature: string;
    authorization: Record<"from" | "to" | "value" | "validAfter" | "validBefore" | "nonce", string>;
  };
  extensions?: Record<string, unknown>;
};

/** Whether an offer is paid by `exact`. */
export const isExactOffer = ({ scheme }: { scheme?: string | undefined }): boolean =>
  scheme === EXACT;

/** The word in base64, at each of its three places in a group; a text without one is not decoded. */
const NAMES_EXACT = /ZXhhY3|V4YWN0|leGFjd/;

const isText = (value: unknown) => typeof value === "string";
const isPlan = (value: unknown) => typeof value === "string" && /^\d{1,78}$/.test(value);

/** The payment in a header's text or a facilitator's `paymentPayload`, or `null` when it is none. Never throws. */
export function readExactPayload(given: unknown): ExactPayload | null {
  try {
    if (typeof given === "string" && !NAMES_EXACT.test(given)) return null;
    const payment = (
      typeof given === "string" ? readJson(decodeBase64(given) ?? "") : given
    ) as ExactPayload;
    const { accepted, payload } = payment;
    const { network, asset, extra } = accepted;
    const { from, nonce } = payload.authorization;
    const isRead =
      isExactOffer(accepted) &&
      [payload.signature, from, nonce].every(isText) &&
      /^0x\w{40}0x\w{64}$/.test(from + nonce) &&
      [network, asset, extra?.challengeId].every((value) => isText(value ?? "")) &&
      [accepted.planId, extra?.planId].every((value) => isPlan(value ?? "0"));
    return isRead ? payment : null;
  } catch {
    return null;
  }
}

/**
 * The payment as the gate reads a token: it names its plan by the offer, and its request by the authorization's nonce, so that
 * however often it is sent it is one request.
 */
export function tokenOfExact({ accepted, payload, extensions }: ExactPayload): AccessToken {
  const { from, nonce } = payload.authorization;
  return {
    accepted: accepted as AccessToken["accepted"],
    payload: {
      authorization: { from, planId: planIdOf(accepted) ?? "", jti: nonce },
      // No key acts for the wallet.
      sessionKey: {} as AccessToken["payload"]["sessionKey"],
    },
    signature: payload.signature,
    extensions: extensions ?? {},
  };
}
