import { isEventStream, isUntyped, mayBeJson } from "../media-types.ts";
import { joinBytes } from "../request-body.ts";

/** An answer's body: whole, so that the receipt fits in its headers, or still being written. */
export type Body =
  | { kind: "whole"; body: string | Uint8Array<ArrayBuffer> | null }
  | { kind: "flowing"; body: ReadableStream<Uint8Array> };

// Longer bodies flow, so that a large answer does not fill memory.
const MAX_HELD_BYTES = 1024 * 1024;

/** The work's answer; its body as text where the server has made no stream of it. */
type Given = { response: Response; body: unknown };

/**
 * Holds a complete body; one that is still being written flows. Without `buffer`, event streams and
 * long bodies flow, JSON and a body with a content length are waited for, and any other is held only if
 * it is complete now. An event stream whose verdict is awaited is held. Throws what the body throws while it is held.
 */
export function holdBody(
  { response, body: given }: Given,
  {
    isHead,
    isVerdictAwaited,
    buffer,
  }: { isHead: boolean; isVerdictAwaited: boolean; buffer: boolean | undefined },
): Body | Promise<Body> {
  // A HEAD request is charged as its GET, but gets no body.
  if (isHead) return Promise.resolve(response.body?.cancel()).then(() => NOTHING);
  const isWaitedFor = buffer ?? (isEventStream(response.headers) ? isVerdictAwaited : undefined);
  if (typeof given === "string" && isWaitedFor !== false) return { kind: "whole", body: given };
  const { body } = response;
  if (!body) return NOTHING;
  if (isWaitedFor === true) return held(response);
  if (isWaitedFor === false) return { kind: "flowing", body };
  const stated = response.headers.get("content-length");
  if (stated === null) return holdWhatIsThere(body, response.headers);
  return Number(stated) <= MAX_HELD_BYTES ? held(response) : { kind: "flowing", body };
}

const NOTHING: Body = { kind: "whole", body: null };

const held = async (response: Response): Promise<Body> => ({
  kind: "whole",
  body: new Uint8Array(await response.arrayBuffer()),
});

/**
 * Reads while chunks are available at once; a body that makes the reader wait is a stream, unless it is JSON. One of no
 * type is told by its first character after the white space that keeps its connection alive.
 */
async function holdWhatIsThere(body: ReadableStream<Uint8Array>, headers: Headers): Promise<Body> {
  const reader = body.getReader();
  let isWaitedFor = mayBeJson(headers);
  let start = isUntyped(headers) ? "" : "{";
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size <= MAX_HELD_BYTES) {
    const reading = reader.read();
    const next = await (isWaitedFor ? reading : Promise.race([reading, oneTurn()]));
    if (next === "waiting") return { kind: "flowing", body: goOn(chunks, reading, reader) };
    if (next.done) return { kind: "whole", body: joinBytes(chunks, size) };
    chunks.push(next.value);
    size += next.value.byteLength;
    if (start === "") {
      start = new TextDecoder().decode(next.value).trimStart().slice(0, 1);
      isWaitedFor = /^[{["]?$/.test(start);
    }
  }
  return { kind: "flowing", body: goOn(chunks, null, reader) };
}

const oneTurn = () => new Promise<"waiting">((resolve) => setTimeout(resolve, 0, "waiting"));

type Reading = Promise<ReadableStreamReadResult<Uint8Array>>;

/** The stream from its start: the chunks already read, the pending read, and the rest. */
function goOn(
  chunks: Uint8Array[],
  reading: Reading | null,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> {
  let pending = reading;
  // It is awaited later, or never.
  pending?.catch(() => {});
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const ready = chunks.shift();
        if (ready) return controller.enqueue(ready);
        const next = await (pending ?? reader.read());
        pending = null;
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
