import * as z from "zod/mini";
import { MAX_TOKEN_LENGTH } from "../access-token.ts";
import type { AccessToken } from "../access-token-schema.ts";
import { decodeBase64 } from "../encoding/base64.ts";
import type { PaymentOffer } from "../payment-required.ts";

/** x402's scheme for one payment of an exact amount: the payer signs a transfer (EIP-3009). */
export const EXACT = "exact";

/** What one request costs a wallet, in dollars with at most six decimals. */
export const DollarPrice = z
  .string()
  .check(
    z.regex(
      /^\$(?=.*[1-9])(0|[1-9]\d{0,11})(\.\d{1,6})?$/,
      'Expected a price above zero as "$0.01".',
    ),
  );

/** A stock client's payment by `exact`. Proves nothing: only the service checks its signature. */
export type ExactPayload = {
  accepted: PaymentOffer & { network: string };
  payload: {
    signature: string;
    authorization: Record<"from" | "to" | "value" | "validAfter" | "validBefore" | "nonce", string>;
  };
};

/** Whether an offer is paid by `exact`. */
export const isExactOffer = ({ scheme }: { scheme?: string | undefined }): boolean =>
  scheme === EXACT;

const FIELDS: [keyof ExactPayload["payload"]["authorization"], RegExp][] = [
  ["from", /^0x[0-9a-f]{40}$/i],
  ["to", /^0x[0-9a-f]{40}$/i],
  ["value", /^\d{1,78}$/],
  ["validAfter", /^\d{1,15}$/],
  ["validBefore", /^\d{1,15}$/],
  ["nonce", /^0x[0-9a-f]{64}$/i],
];

/** The payment in a header's text or a facilitator's `paymentPayload`, or `null` when it is none. Never throws. */
export function readExactPayload(given: unknown): ExactPayload | null {
  try {
    const isShort = typeof given === "string" && given.length <= MAX_TOKEN_LENGTH;
    const payment = isShort ? JSON.parse(decodeBase64(given) ?? "null") : given;
    const { accepted, payload } = payment;
    const isRead =
      isExactOffer(accepted) &&
      /^0x([0-9a-f]{2}){1,4000}$/i.test(payload.signature) &&
      FIELDS.every(([name, form]) => form.test(payload.authorization[name]));
    return isRead ? { accepted, payload } : null;
  } catch {
    return null;
  }
}

/**
 * The payment as the gate reads a token: it names its plan by the offer, and its request by the authorization's nonce, so that
 * however often it is sent it is one request.
 */
export function tokenOfExact({ accepted, payload }: ExactPayload): AccessToken {
  const { from, nonce } = payload.authorization;
  return {
    accepted: accepted as AccessToken["accepted"],
    payload: {
      authorization: { from, planId: String(accepted.extra?.planId ?? ""), jti: nonce },
      sessionKey: {
        address: from,
        permissions: [],
        limits: { redemptionLimit: 1, orderLimit: "0" },
      },
    },
    signature: payload.signature,
    extensions: { "payment-identifier": { info: { id: nonce } } },
  };
}
