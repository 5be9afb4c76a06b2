import type { Exchange } from "@/lib/playground/exchange.ts";
import type { Transport } from "@/lib/playground/ports.ts";

const MAX_BYTES = 5 * 1024 * 1024;
const TOTAL_MS = 60_000;

/** Sends the request from this browser, subject to CORS like any web client. */
export const browserTransport: Transport = async (request, { signal, onProgress }) => {
  const startedAt = new Date().toISOString();
  const start = performance.now();
  const base = () => ({ request, startedAt, durationMs: Math.round(performance.now() - start) });
  const fail = (kind: "failed" | "hidden", code: string, message: string): Exchange => ({
    ...base(),
    answer: null,
    failure: { kind, code, message },
  });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)]);
  try {
    onProgress("Sent from this browser. Waiting for the response.");
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
      const message = "The agent redirects. A browser does not reveal where to.";
      return fail("hidden", "redirect", message);
    }
    const { body, bytes, cut } = await readAnswer(response, limit);
    const { status } = response;
    const answer = { status, headers: [...response.headers], body, bytes, cut };
    return { ...base(), answer, failure: null };
  } catch (cause) {
    if (signal.aborted) return fail("failed", "aborted", "You stopped the run.");
    if (limit.aborted) return fail("failed", "total_timeout", "No response within 60 seconds.");
    // The browser throws the same TypeError for an unreachable agent and for CORS.
    return fail(
      "hidden",
      "no_answer_shown",
      cause instanceof Error ? cause.message : String(cause),
    );
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
        cut = { code: "too_large", message: "The response is larger than 5 MiB." };
        await reader.cancel();
        break;
      }
      chunks.push(value);
    }
  } catch {
    cut = limit.aborted
      ? { code: "total_timeout", message: "The response did not end within 60 seconds." }
      : { code: "broken_off", message: "The connection was lost." };
  }
  return { body: await new Blob(chunks as BlobPart[]).text(), bytes, cut };
}
