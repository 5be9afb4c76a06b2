import { ErrorEnvelope } from "@turnpike/payments/protocol";
import type { Exchange, PlainRequest, SendEvent } from "@/lib/playground/exchange.ts";
import type { Transport } from "@/lib/playground/ports.ts";

/** Has the service send the request, through its guard; the answer is whole, whatever CORS says. */
export const serverTransport: Transport = async (request, { signal, onProgress }) => {
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
      body: JSON.stringify(request satisfies PlainRequest),
      signal,
    });
    if (!response.ok || !response.body) {
      const envelope = ErrorEnvelope.safeParse(await response.json().catch(() => null));
      const { code, message } = envelope.data ?? { code: "internal", message: "no reason given." };
      return fail("refused", code, message);
    }
    for await (const event of readLines(response.body)) {
      if (event.type === "progress") onProgress(event.words);
      else return { request, ...event.exchange };
    }
    // The line broke after the request may have been sent: what became of it is not known.
    return fail("failed", "broken_off", "The connection to the service broke off.");
  } catch (cause) {
    if (signal.aborted) return fail("failed", "aborted", "You stopped it.");
    return fail("failed", "broken_off", cause instanceof Error ? cause.message : String(cause));
  }
};

/** The browser's types give its writable side a narrower name than a body's chunks have. */
const decoder = () => new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<SendEvent> {
  const reader = body.pipeThrough(decoder()).getReader();
  // A line may be megabytes long: its parts are put together once, at its end.
  let parts: string[] = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const [first = "", ...more] = value.split("\n");
      parts.push(first);
      for (const next of more) {
        const line = parts.join("");
        parts = [next];
        if (line) yield JSON.parse(line) as SendEvent;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
