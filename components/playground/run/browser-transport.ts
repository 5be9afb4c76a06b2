import {
  DEFAULT_LIMIT_SECS,
  type Exchange,
  type PlainAnswer,
  type PlainRequest,
} from "@/lib/playground/exchange.ts";
import type { Transport } from "@/lib/playground/ports.ts";
import { corsLines } from "./cors-lines.ts";

const MAX_BYTES = 5 * 1024 * 1024;
const BEAT_MS = 1_000;
/** How much of a response is shown while it arrives. */
const SHOWN_BYTES = 64 * 1024;

type Failure = NonNullable<Exchange["failure"]>;

/** Sends the request from this browser, subject to CORS like any web client. */
export const browserTransport: Transport = async (request, options) => {
  const { signal, onProgress, onPartial, limitSecs = DEFAULT_LIMIT_SECS } = options;
  const startedAt = new Date().toISOString();
  const start = performance.now();
  const ended = (answer: PlainAnswer | null, failure: Failure | null): Exchange => ({
    ...{ request, startedAt, answer, failure, seenBy: "browser" },
    durationMs: Math.round(performance.now() - start),
  });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limitSecs * 1000)]);
  const beat = setInterval(() => {
    const waited = Math.round((performance.now() - start) / 1000);
    onProgress(`Waiting for the response, ${waited} of ${limitSecs} s.`);
  }, BEAT_MS);
  let close = () => {};
  let isSent = false;
  try {
    const frame = await openFrame(request.url, limit);
    close = frame.close;
    isSent = true;
    onProgress("Sent from this browser. Waiting for the response.");
    const response = await send(frame.fetch, request, limit).catch(async (cause) => {
      if (limit.aborted) throw cause;
      return explainHidden(frame.fetch, request, limit);
    });
    if ("kind" in response) return ended(null, response);
    if (response.type === "opaqueredirect") {
      return ended(null, { kind: "hidden", code: "redirect", message: "" });
    }
    return ended(await readAnswer(response, limit, onPartial), null);
  } catch {
    const kind = isSent ? "failed" : "refused";
    if (signal.aborted) {
      return ended(null, { kind, code: "aborted", message: "You stopped the run." });
    }
    const isLate = limit.aborted;
    const code = isLate ? "total_timeout" : "service_lost";
    const message =
      isSent && isLate
        ? `No complete response within ${limitSecs} s.`
        : "The page could not prepare the request. Check your connection.";
    return ended(null, { kind, code, message, limitSecs });
  } finally {
    clearInterval(beat);
    close();
  }
};

const send = (fetchInFrame: typeof fetch, request: PlainRequest, signal: AbortSignal) =>
  fetchInFrame(request.url, {
    method: request.method,
    headers: request.headers.map(([name, value]): [string, string] => [name, value]),
    ...(request.body !== null && { body: request.body }),
    credentials: "omit",
    redirect: "manual",
    cache: "no-store",
    signal,
  });

/**
 * The browser reports CORS and an unreachable agent as the same error. A request whose response no page may read tells
 * them apart: it arrives where only CORS is missing.
 */
async function explainHidden(
  fetchInFrame: typeof fetch,
  request: PlainRequest,
  signal: AbortSignal,
): Promise<Failure> {
  const { origin, protocol } = window.location;
  try {
    const unread = { method: "HEAD", mode: "no-cors", credentials: "omit", cache: "no-store" };
    await fetchInFrame(request.url, { ...(unread as RequestInit), signal });
    return { kind: "hidden", code: "cors", message: corsLines(request, origin) };
  } catch (cause) {
    if (signal.aborted) throw cause;
    const isMixed = protocol === "https:" && request.url.startsWith("http:");
    const message = isMixed ? "Browsers also block http addresses on https pages." : "";
    return { kind: "hidden", code: "unreachable", message };
  }
}

async function readAnswer(
  response: Response,
  limit: AbortSignal,
  onPartial: ((answer: PlainAnswer) => void) | undefined,
): Promise<PlainAnswer> {
  const head = { status: response.status, headers: [...response.headers] };
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  const read = () => new Blob(chunks as BlobPart[]).text();
  let bytes = 0;
  let cut: PlainAnswer["cut"] = null;
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
      if (bytes <= SHOWN_BYTES) onPartial?.({ ...head, body: await read(), bytes, cut });
    }
  } catch {
    cut = limit.aborted
      ? { code: "total_timeout", message: "The response did not end within the time limit." }
      : { code: "broken_off", message: "The connection was lost." };
  }
  return { ...head, body: await read(), bytes, cut };
}

/** A `fetch` that may call one origin, until it is closed. */
type FrameFetch = { fetch: typeof fetch; close: () => void };

/**
 * Opens an empty frame whose own policy lets it call the agent's origin only, and lends its `fetch`: this page's policy
 * allows no other site, and stays as it is (ADR 76). Rejects if the frame cannot be loaded, or when aborted.
 */
async function openFrame(url: string, signal: AbortSignal): Promise<FrameFetch> {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.title = "Sends requests to the agent";
  frame.src = `/playground/frame?${new URLSearchParams({ origin: new URL(url).origin })}`;
  const close = () => frame.remove();
  try {
    await new Promise<void>((loaded, failed) => {
      frame.onload = () => loaded();
      frame.onerror = () => failed(new Error("The frame could not be loaded."));
      signal.addEventListener("abort", () => failed(signal.reason), { once: true });
      document.body.append(frame);
    });
    const inside = frame.contentWindow as (Window & typeof globalThis) | null;
    if (!inside) throw new Error("The frame could not be opened.");
    return { fetch: inside.fetch.bind(inside), close };
  } catch (cause) {
    close();
    throw cause;
  }
}
