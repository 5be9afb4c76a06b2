import type { ExactSent } from "../protocol/exact/exact-sent.ts";
import { readJson, withoutNulls } from "../protocol/json.ts";
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

/** A response with its receipt, where it carries one of ours. */
export function paidResponse(response: Response): PaidResponse {
  const header = response.headers.get(X402_HEADERS.PAYMENT_RESPONSE);
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

const MAX_BODY = 1_048_576;
/** A call reads a refusal up to three times. */
const BODY_MS = 10_000;

/** A response's body as JSON; null when it is none, or not within 1 MiB and 10 s. The body can still be read. */
export async function readBody(response: Response): Promise<Record<string, unknown> | null> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  // A read that waits for more is then at the end.
  const cancel = () => void reader?.cancel().catch(() => {});
  const timer = setTimeout(cancel, BODY_MS);
  const decoder = new TextDecoder();
  let text = "";
  try {
    reader = response.clone().body?.getReader();
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      text += decoder.decode(part.value, { stream: true });
      if (text.length > MAX_BODY) return null;
    }
    const body: unknown = withoutNulls(readJson(text));
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : null;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    cancel();
  }
}

/** The client gave up, or the answer is of a proxy's time limit: what the agent does with the request goes on. */
const OF_PROXIES = /^(408|50[2-4]|52\d)$/;

/**
 * Whether an answer leaves open what became of its request: one of a proxy that did not wait for the agent, or of a gate that got
 * no answer of the service. A gate names each request that it lets through.
 */
export const isLost = ({ status, headers }: Response): boolean =>
  OF_PROXIES.test(`${status}`) && !headers.has("payment-request-id");

/** Whether a proxy answered in the agent's place. A gate that let nothing through says so in its own words, with 503. */
export const isOfProxy = async (response: Response): Promise<boolean> =>
  isLost(response) &&
  !(response.status === 503 && typeof (await readBody(response))?.code === "string");
