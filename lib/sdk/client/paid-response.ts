import type { ExactSent } from "../protocol/exact/exact-sent.ts";
import { Settlement } from "../protocol/permission.ts";
import { decodeHeader, X402_HEADERS } from "../protocol/x402-headers.ts";
import type { ExactSigner } from "./exact/exact-types.ts";
import type { PurchaseLimits } from "./fetch-tokens.ts";
import type { OfferLimits } from "./offers.ts";
import type { X402TokenOptions } from "./x402.ts";

/** What a paying fetch may spend, and by which plan. */
export type PayingFetchOptions = OfferLimits &
  PurchaseLimits & {
    /** How a token is made when one is needed. */
    tokenOptions?: Omit<X402TokenOptions, "maxSpend" | "cnf">;
    /** Reaches the agent; the platform's `fetch` by default. */
    fetch?: (request: Request) => Promise<Response>;
    /** Your own wallet that signs `exact` payments, instead of the account's. */
    signer?: ExactSigner;
    /**
     * How long to wait for a person if a budget requires approval; without it the 402 is returned immediately. The
     * token is kept, so the same call pays once it is approved.
     */
    approvalTimeoutMs?: number;
    /** Names the call beside its key and method, in place of its URL where its seller says that. */
    callName?: string;
  };

/** A response, and what was paid for it. */
export type PaidResponse = {
  response: Response;
  /** The settlement receipt; `null` when nothing was paid, or when it comes at a stream's end. */
  receipt: Settlement | null;
  /** Names the paid request, also for `payments.requests.getRequest`. */
  agentRequestId: string | null;
  /**
   * Whether the token was bound to a key and the request `signed` with it, or paid by `bearer`, because the agent takes no
   * signatures or this platform has no Ed25519; absent when no token was sent.
   */
  holder?: "signed" | "bearer";
  /** Why a 402 was not paid; absent when nothing was asked or all was paid. */
  declined?: string;
  /**
   * An order that the receipt does not name: `made`, for example by a call that failed afterwards, so that its
   * credits are left for later calls; or `unknown`, for example while other calls share the token or a stream is not
   * settled. Absent if none was made.
   */
  order?: "made" | "unknown";
  /** The `exact` payment that was sent, if the seller accepts no plans. */
  payment?: ExactSent;
};

/** A response with its receipt, where it carries one of ours; none where the request that it `answers` sent no payment. */
export function paidResponse(response: Response, answers?: Request): PaidResponse {
  const isUnpaid = answers?.headers.has(X402_HEADERS.PAYMENT_SIGNATURE) === false;
  const header = isUnpaid ? null : response.headers.get(X402_HEADERS.PAYMENT_RESPONSE);
  const receipt = Settlement.safeParse(wholeReceipt(decodeHeader(header ?? "")));
  return {
    response,
    receipt: receipt.data ?? null,
    agentRequestId: response.headers.get("payment-request-id"),
  };
}

/** Whether a receipt says that the gate does not know the outcome yet, and settles again. */
export const isPending = (receipt: Settlement): boolean =>
  !receipt.success && receipt.errorReason === "settlement_pending";

/** Stock servers pass on x402's own members of a settlement, and in `extra` a copy of ours. */
function wholeReceipt(given: unknown): unknown {
  const { transaction: txHash, extra } = (given ?? {}) as Partial<Settlement & { extra: object }>;
  return extra ? { txHash, ...extra, ...(given as object) } : given;
}
