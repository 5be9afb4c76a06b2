import { PaymentsError } from "../../protocol/errors.ts";
import { joinBytes, MAX_BODY_BYTES } from "../request-body.ts";
import type { NodeRequest } from "./node-types.ts";

/** A request's body, read only on demand, and put back for the work. */
export type LazyBody = {
  stream: ReadableStream<Uint8Array> | null;
  /** Whether a body parser has taken it, so that its bytes are not those that were sent. */
  isParsed: boolean;
  /** Whether it is the body of a GET or HEAD, of which a `Request` has none. */
  isHidden: boolean;
  /** Resolves once a read in progress is over, so that the work gets the whole body. */
  settled(): Promise<unknown>;
};

/** The body for `credits` functions and for requests with an id, read only when they read it. */
export function readLazily(incoming: NodeRequest, maxBytes = MAX_BODY_BYTES): LazyBody {
  const isParsed = incoming.body !== undefined;
  const isSent = hasBody(incoming);
  const isHidden = isSent && /^(GET|HEAD)$/.test(incoming.method ?? "");
  if (!isSent || isHidden) {
    return { stream: null, isParsed, isHidden, settled: () => Promise.resolve() };
  }
  let reading: Promise<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        reading ??= readWhole(incoming, Math.max(maxBytes, MAX_BODY_BYTES));
        const bytes = await reading;
        if (bytes.byteLength > 0) controller.enqueue(bytes);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, isParsed, isHidden, settled: async () => reading?.catch(() => {}) };
}

// A message of HTTP/2 states no length, and ends with its head when it has no body. Injected requests have no version.
const hasBody = ({ headers, httpVersion, complete, stream }: NodeRequest) =>
  headers["transfer-encoding"] !== undefined ||
  Number(
    headers["content-length"] ??
      (/^2/.test(httpVersion) && !complete && !stream?.endAfterHeaders ? 1 : 0),
  ) > 0;

async function readWhole(incoming: NodeRequest, maxBytes: number): Promise<Uint8Array> {
  const parsed = incoming.body;
  if (parsed !== undefined) return encodeParsed(parsed);
  const { chunks, size } = await collect(incoming, maxBytes);
  return joinBytes(chunks, size);
}

/** What a body parser left: bytes, text, or a parsed JSON or form value. */
function encodeParsed(parsed: unknown): Uint8Array {
  if (parsed instanceof Uint8Array) return parsed;
  return new TextEncoder().encode(typeof parsed === "string" ? parsed : JSON.stringify(parsed));
}

/** All chunks of the message, put back before any other listener could see its end. */
function collect(
  incoming: NodeRequest,
  maxBytes: number,
): Promise<{ chunks: Uint8Array[]; size: number }> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const take = () => {
      for (let chunk = incoming.read(); chunk !== null; chunk = incoming.read()) {
        chunks.push(chunk as Uint8Array);
        size += (chunk as Uint8Array).byteLength;
      }
      if (hasArrived(incoming) && incoming.readableLength === 0)
        stop(() => resolve({ chunks, size }));
      else if (size > maxBytes) stop(() => reject(tooLong(maxBytes)));
    };
    const broken = () => stop(() => reject(new Error("The request broke off.")));
    const stop = (then: () => void) => {
      incoming.off("readable", take);
      incoming.off("error", broken);
      incoming.off("close", broken);
      for (const chunk of chunks.toReversed()) incoming.unshift(chunk as never);
      then();
    };
    incoming.on("readable", take);
    incoming.on("error", broken);
    incoming.on("close", broken);
    take();
  });
}

// `complete` of HTTP/2 waits for the reader, whose end must not come before the chunks are back.
const hasArrived = ({ complete, _readableState: state }: NodeRequest) =>
  complete || state?.ended === true;

const tooLong = (maxBytes: number) =>
  new PaymentsError("invalid_input", `The body is longer than ${maxBytes} bytes.`);
