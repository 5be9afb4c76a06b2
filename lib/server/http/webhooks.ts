import type { WebhookReader } from "@/lib/adapters/cards/webhook.ts";
import { refreshPayout } from "@/lib/domain/money/resolve-payouts.ts";
import { refreshOrder } from "@/lib/domain/orders/resolve-orders.ts";
import type { Log, Ports } from "@/lib/domain/ports.ts";
import { errorAnswer } from "../pipeline/error-answer.ts";
import { readText } from "../pipeline/read-input.ts";

/** The processor's events are some kilobytes. */
const MAX_EVENT_BYTES = 512 * 1024;
const REFUSALS_LOGGED_MS = 60_000;
const SIGNATURE = /^(?=.*\bt=\d)(?=.*\bv1=[0-9a-f]{64})/;

export type Endpoint = { fetch: (request: Request) => Promise<Response> };

/**
 * `POST /api/webhooks/cards`: the processor reports a change of a payment. The event only triggers a refresh:
 * the order is read from the payment itself. A failure is a 5xx, so that the processor sends the event again.
 */
export function createWebhooks(ports: Ports, readWebhook: WebhookReader | undefined): Endpoint {
  const logRefusal = createRefusalLog(ports.log);
  return {
    async fetch(request) {
      const requestId = crypto.randomUUID();
      const { pathname } = new URL(request.url);
      if (!readWebhook || pathname !== "/api/webhooks/cards" || request.method !== "POST") {
        return Response.json({ code: "not_found" }, { status: 404 });
      }
      const refuse = (reason: string) => {
        logRefusal({ requestId, reason });
        return Response.json({ code: "invalid_signature" }, { status: 400 });
      };
      try {
        const signature = request.headers.get("stripe-signature");
        if (!SIGNATURE.test(signature ?? "")) return refuse("signature");
        const body = await readText(request, { maxBytes: MAX_EVENT_BYTES, log: ports.log });
        const reading = await readWebhook(body, signature);
        if (reading.outcome === "refused") return refuse(reading.reason);
        if (reading.outcome === "refresh") await refreshOrder(ports, reading.orderId);
        if (reading.outcome === "payout") await refreshPayout(ports, reading.payoutId);
        return Response.json({ received: true });
      } catch (cause) {
        return errorAnswer(cause, requestId, ports);
      }
    },
  };
}

/** Anyone may send unsigned requests: a minute of them, of each reason, is one line with their number. */
function createRefusalLog(log: Log): (refusal: { requestId: string; reason: string }) => void {
  const byReason = new Map<string, { loggedAt: number; refused: number }>();
  return (refusal) => {
    const { loggedAt, refused } = byReason.get(refusal.reason) ?? {
      loggedAt: Number.NEGATIVE_INFINITY,
      refused: 0,
    };
    const isDue = performance.now() - loggedAt >= REFUSALS_LOGGED_MS;
    if (isDue) log.warn({ ...refusal, refused: refused + 1 }, "card webhooks refused");
    byReason.set(
      refusal.reason,
      isDue ? { loggedAt: performance.now(), refused: 0 } : { loggedAt, refused: refused + 1 },
    );
  };
}
