import { ErrorEnvelope } from "@turnpike/payments/protocol";
import type { Exchange, PlainRequest, SendEvent } from "@/lib/playground/exchange.ts";
import type { Transport } from "@/lib/playground/ports.ts";
import { readJsonLines } from "@/lib/text/json-lines.ts";
import type { RunService } from "./session-service.ts";

/**
 * Sends the request through the service's guard; the response is complete, regardless of CORS. With the request that
 * pays, the service revokes what the run opened, even if this page is closed meanwhile.
 */
export const createServerTransport =
  ({ payer, opened }: Pick<RunService, "payer" | "opened">): Transport =>
  async (request, { signal, onProgress, onPartial, limitSecs }) => {
    const isPaid = request.headers.some(([name]) => name === "payment-signature");
    const ends = isPaid ? opened() : null;
    const startedAt = new Date().toISOString();
    const start = performance.now();
    const fail = (kind: "refused" | "failed", code: string, message: string): Exchange => ({
      request,
      answer: null,
      failure: { kind, code, message },
      startedAt,
      durationMs: Math.round(performance.now() - start),
    });
    try {
      const response = await fetch("/playground/send", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          ...(request satisfies PlainRequest),
          ...{ payer, limitSecs },
          ...(ends && { ends }),
        }),
        signal,
      });
      if (!response.ok || !response.body) {
        const envelope = ErrorEnvelope.safeParse(await response.json().catch(() => null));
        const { code, message } = envelope.data ?? {
          code: "internal",
          message: "The service gave no reason.",
        };
        return fail("refused", code, message);
      }
      for await (const event of readJsonLines<SendEvent>(response.body)) {
        if (event.type === "progress") onProgress(event.words);
        else if (event.type === "partial") onPartial?.(event.answer);
        else return { request, ...event.exchange };
      }
    } catch {
      if (signal.aborted) return fail("failed", "aborted", "You stopped the run.");
    }
    // The request may have been sent, so its outcome is unknown.
    return fail("failed", "service_lost", "The connection to the service was lost.");
  };
