import { joinBytes } from "../request-body.ts";
import { watchStream } from "../watch-stream.ts";
import { MAX_KEPT_BYTES } from "./answer-store.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A copy of a stream as it passes, unless it is too long to be kept. */
export function createCopy() {
  let chunks: Uint8Array[] = [];
  let size = 0;
  return {
    add(chunk: Uint8Array) {
      size += chunk.byteLength;
      if (size <= MAX_KEPT_BYTES) chunks.push(chunk);
      else chunks = [];
    },
    bytes: (): Bytes | null => (size <= MAX_KEPT_BYTES ? joinBytes(chunks, size) : null),
  };
}

/** The same stream, whose bytes are kept once it was read whole; `null` where it broke off or is too long. */
export function copyStream(
  source: ReadableStream<Uint8Array>,
  keep: (bytes: Bytes | null) => Promise<void>,
): ReadableStream<Uint8Array> {
  const copy = createCopy();
  return watchStream(source, {
    isOwedUnread: true,
    onChunk: copy.add,
    async onStart() {},
    async onEnd(how) {
      await keep(how === "complete" ? copy.bytes() : null);
      return null;
    },
  });
}
