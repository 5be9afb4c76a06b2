import type { Payments } from "../client/payments.ts";
import { createGate, type GateOptions } from "../gate/gate.ts";
import type { RouteConfig } from "../gate/routes.ts";
import type { Payment } from "../gate/verify.ts";
import { encodeBase64 } from "../protocol/base64.ts";
import { toJson } from "../protocol/json.ts";
import { pathOf } from "../protocol/match-route.ts";
import { Settlement } from "../protocol/permission.ts";
import { decodeHeader, X402_HEADERS } from "../protocol/x402-headers.ts";

/** A call whose payment travels inside its message instead of in an HTTP header. */
export type InBandCall = {
  /** The token's document, or its text; absent when nothing was paid. */
  payload: unknown;
  /** What the credits may depend on. */
  body: unknown;
  signal?: AbortSignal | undefined;
};

/** What the gate made of a call. */
export type InBandOutcome =
  | { outcome: "paid"; receipt: Settlement | null }
  /** The work ran and did not deliver, so nothing was taken. */
  | { outcome: "free" }
  /** The gate's own answer, as its HTTP body says it; with a receipt when settlement failed. */
  | { outcome: "refused"; body: Record<string, unknown>; receipt: Settlement | null };

/** Does the work of a paid call; resolves to whether it delivered something worth its price. */
export type InBandWork = (payment: Payment) => Promise<boolean>;

/**
 * The gate in front of one callable thing that is not an HTTP route: the call is put to the gate as a
 * `POST` to `url`, so that holds, retries, reports, traces and metrics are the gate's own. Unless
 * `settle` says otherwise a failed settlement withholds the answer. Throws as {@link createGate}.
 */
export function createInBandGate(
  payments: Payments,
  { url, ...route }: RouteConfig & { url: string },
  options: GateOptions = {},
): (call: InBandCall, work: InBandWork) => Promise<InBandOutcome> {
  const key = `POST ${pathOf(url)}`;
  const gate = createGate(payments, { [key]: route }, { settle: "strict", ...options });

  return async function callInBand({ payload, body, signal }, work) {
    const token = readPayload(payload);
    const request = new Request(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token !== null && { [X402_HEADERS.PAYMENT_SIGNATURE]: token }),
      },
      body: toJson(body ?? {}),
      ...(signal && { signal }),
    });
    const run = { isDelivered: true };
    const response = await gate(request, async (_request, payment) => {
      if (!payment) throw new Error(`${key} is not gated.`);
      // Nobody is there to take the answer.
      run.isDelivered = (await work(payment)) && !signal?.aborted;
      return new Response(null, { status: run.isDelivered ? 200 : 500 });
    });
    if (!run.isDelivered) return { outcome: "free" };
    const receipt = readReceipt(response.headers);
    if (response.ok) return { outcome: "paid", receipt };
    return { outcome: "refused", body: await response.json(), receipt };
  };
}

// One character that is not of a token, so that the gate refuses what is there but cannot be read.
const UNREADABLE = "!";

function readPayload(payload: unknown): string | null {
  if (payload === undefined || payload === null) return null;
  if (typeof payload === "string") return /^[\w+/=-]+$/.test(payload) ? payload : UNREADABLE;
  return typeof payload === "object" ? encodeBase64(JSON.stringify(payload)) : UNREADABLE;
}

function readReceipt(headers: Headers): Settlement | null {
  const header = headers.get(X402_HEADERS.PAYMENT_RESPONSE);
  const receipt = Settlement.safeParse(header === null ? null : decodeHeader(header));
  return receipt.success ? receipt.data : null;
}
