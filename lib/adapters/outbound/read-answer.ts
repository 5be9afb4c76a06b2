import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Dispatcher } from "undici";
import type { CutCode, OutboundEvent } from "@/lib/domain/outbound-ports.ts";
import type { Deadline } from "./deadline.ts";
import { OutboundFault } from "./outbound-fault.ts";

const KIB = 1024;

/** Limits for reading a response. */
export type Reading = {
  deadline: Deadline;
  limits: { idleMs: number };
  maxBytes: number;
  /** Milliseconds since the request began. */
  ms: () => number;
};

/**
 * Yields a response body in decompressed chunks. The last event has the number of bytes and, if the body was cut off,
 * the reason. Never throws.
 */
export async function* readAnswer(
  { deadline, limits, maxBytes, ms }: Reading,
  body: Dispatcher.ResponseData["body"],
  headers: [string, string][],
): AsyncGenerator<OutboundEvent, void> {
  let bytes = 0;
  const end = (code?: CutCode, message = ""): OutboundEvent => ({
    type: "end",
    bytes,
    cut: code ? { code, message } : null,
    ms: ms(),
  });
  const encoding = headers
    .filter(([name]) => name === "content-encoding")
    .map(([, value]) => value)
    .join(",");
  const decoded = decodeBody(body, encoding);
  if (!decoded) {
    body.on("error", () => {}).destroy();
    yield end(
      "bad_encoding",
      `The response uses an unsupported encoding: ${JSON.stringify(encoding.slice(0, 80))}.`,
    );
    return;
  }
  const chunks = decoded[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const { idleMs } = limits;
  const silent = () => new OutboundSilence();
  try {
    while (true) {
      const next = await deadline.within(idleMs, chunks.next(), silent);
      if (next.done) break;
      const room = maxBytes - bytes;
      const chunk = next.value.subarray(0, room);
      bytes += chunk.byteLength;
      if (chunk.byteLength > 0) yield { type: "chunk", bytes: chunk, ms: ms() };
      if (next.value.byteLength > room) {
        yield end(
          "too_large",
          `The response is larger than ${maxBytes / KIB} KiB and was cut off.`,
        );
        return;
      }
    }
    yield end();
  } catch (cause) {
    yield end(...explainCut(cause, idleMs));
  } finally {
    decoded.on("error", () => {}).destroy();
    body.on("error", () => {}).destroy();
  }
}

class OutboundSilence extends Error {}

function explainCut(cause: unknown, idleMs: number): [CutCode, string] {
  if (cause instanceof OutboundSilence) {
    return ["idle_timeout", `The stream was idle for ${idleMs / 1000} s and was closed.`];
  }
  if (cause instanceof OutboundFault) {
    const code = cause.fault.code === "aborted" ? "aborted" : "total_timeout";
    return [code, cause.message];
  }
  const { code = "" } = cause as NodeJS.ErrnoException;
  return /^(Z_|ERR__ERROR_|ERR_BROTLI)/.test(code)
    ? ["bad_encoding", "The response does not match its content-encoding."]
    : ["broken_off", "The agent closed the connection before the response was complete."];
}

const DECODERS: Record<string, () => NodeJS.ReadWriteStream> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Two layers are unusual; more are an attack. */
const MAX_LAYERS = 2;

/** Decompresses the body as it is read; null for an unknown encoding. */
function decodeBody(body: Readable, encoding: string): Readable | null {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MAX_LAYERS) return null;
  const layers = names.reverse().map((name) => DECODERS[name]);
  let decoded: Readable = body;
  for (const layer of layers) {
    if (!layer) return null;
    // Errors surface where the last stream is read.
    decoded = pipeline(decoded, layer(), () => {}) as unknown as Readable;
  }
  return decoded;
}
