import type { WebhookReader } from "@/lib/adapters/cards/webhook.ts";
import { refreshOrder } from "@/lib/domain/orders/resolve-orders.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { errorAnswer } from "./error-answer.ts";

/** A door that answers requests by itself. */
export type Door = { fetch: (request: Request) => Promise<Response> };

/**
 * `POST /api/webhooks/cards`: the processor says that something happened to a payment. The event is only a
 * reason to look: the order is refreshed from the payment itself. A failure is answered with 5xx, so that the
 * processor tells us again.
 */
export function createWebhooks(ports: Ports, readWebhook: WebhookReader): Door {
  return {
    async fetch(request) {
      const requestId = crypto.randomUUID();
      if (new URL(request.url).pathname !== "/api/webhooks/cards" || request.method !== "POST") {
        return Response.json({ code: "not_found" }, { status: 404 });
      }
      try {
        const signature = request.headers.get("stripe-signature");
        const reading = await readWebhook(await request.text(), signature);
        if (reading.outcome === "refused") {
          ports.log.warn({ requestId, reason: reading.reason }, "card webhook refused");
          return Response.json({ code: "invalid_signature" }, { status: 400 });
        }
        if (reading.outcome === "refresh") await refreshOrder(ports, reading.orderId);
        return Response.json({ received: true });
      } catch (cause) {
        return errorAnswer(cause, requestId, ports.log);
      }
    },
  };
}
