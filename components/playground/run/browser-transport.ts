import type { Exchange } from "@/lib/playground/exchange.ts";
import type { Transport } from "@/lib/playground/ports.ts";

const MAX_BYTES = 5 * 1024 * 1024;
const TOTAL_MS = 60_000;

/** Sends the request from this browser, as a web page's client would: what CORS hides stays hidden. */
export const browserTransport: Transport = async (request, { signal, onProgress }) => {
  const startedAt = new Date().toISOString();
  const start = performance.now();
  const base = () => ({ request, startedAt, durationMs: Math.round(performance.now() - start) });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)]);
  try {
    onProgress("Sent from this browser. Waiting for the answer.");
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers.map(([name, value]): [string, string] => [name, value]),
      ...(request.body !== null && { body: request.body }),
      credentials: "omit",
      redirect: "manual",
      cache: "no-store",
      signal: limit,
    });
    if (response.type === "opaqueredirect") {
      const message = "It redirects; a browser does not say where to.";
      return { ...base(), answer: null, failure: { kind: "hidden", code: "redirect", message } };
    }
    const { body, bytes, cut } = await readAnswer(response, limit);
    const { status } = response;
    const answer = { status, headers: [...response.headers], body, bytes, cut };
    return { ...base(), answer, failure: null } satisfies Exchange;
  } catch (cause) {
    if (signal.aborted) {
      return {
        ...base(),
        answer: null,
        failure: { kind: "failed", code: "aborted", message: "You stopped it." },
      };
    }
    if (limit.aborted) {
      const message = "No answer within 60 seconds.";
      return {
        ...base(),
        answer: null,
        failure: { kind: "failed", code: "total_timeout", message },
      };
    }
    // A browser tells a page neither "not reachable" nor "hidden by CORS", but the same TypeError.
    const message = cause instanceof Error ? cause.message : String(cause);
    return {
      ...base(),
      answer: null,
      failure: { kind: "hidden", code: "no_answer_shown", message },
    };
  }
};

async function readAnswer(response: Response, limit: AbortSignal) {
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let cut: { code: string; message: string } | null = null;
  try {
    while (reader) {
      const { value, done } = await reader.read();
      if (done) break;
      bytes += value.length;
      if (bytes > MAX_BYTES) {
        cut = { code: "too_large", message: "It is larger than 5 MiB." };
        await reader.cancel();
        break;
      }
      chunks.push(value);
    }
  } catch {
    const isLate = limit.aborted;
    cut = isLate
      ? { code: "total_timeout", message: "It did not end within 60 seconds." }
      : { code: "broken_off", message: "The connection broke off." };
  }
  return { body: await new Blob(chunks as BlobPart[]).text(), bytes, cut };
}
