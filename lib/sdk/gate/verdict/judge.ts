import { isEventStream, mayBeJson } from "../media-types.ts";
import { copyStream } from "../repeats/copy-stream.ts";
import { flowingResponse } from "./flowing-response.ts";
import { holdBody } from "./hold-body.ts";
import { isKnownSuccess, type SuccessCheck } from "./outcome.ts";
import { createStreamVerdict } from "./stream-verdict.ts";

export { flowingResponse, holdBody };

type Whole = string | Uint8Array<ArrayBuffer>;
type Body = Whole | ReadableStream<Uint8Array> | null;

/** Whether a body was held. */
const isWhole = (body: Body): body is Whole =>
  typeof body === "string" || body instanceof Uint8Array;

/** Whether an answer is one of work that succeeded, as far as it was held, by the route's own check where it has one. */
export function judgeBody(
  response: Response,
  body: Body,
  isSuccess: SuccessCheck | undefined,
): boolean | Promise<boolean> {
  if (!isWhole(body)) return true;
  const { status, headers } = response;
  if (isEventStream(headers)) {
    const verdict = createStreamVerdict(response, isSuccess);
    verdict.read(toBytes(body));
    verdict.finish();
    const hasFailed = verdict.hasFailed();
    return typeof hasFailed === "boolean" ? !hasFailed : hasFailed.then((failed) => !failed);
  }
  if (!isSuccess && !mayBeJson(headers)) return true;
  const judge = (text: string) => (isSuccess ?? isKnownSuccess)({ status, headers, text });
  const encoding = headers.get("content-encoding");
  if (encoding)
    return decompress(toBytes(body), encoding).then((text) => text === null || judge(text));
  const isPlain = typeof body === "string" && !body.startsWith("\ufeff");
  return judge(isPlain ? body : new TextDecoder().decode(toBytes(body)));
}

const toBytes = (body: Whole): Uint8Array<ArrayBuffer> =>
  typeof body === "string" ? new TextEncoder().encode(body) : body;

/** The same body, of which a copy is kept once it is there: no answer waits for it. */
export function keepBody(body: Body, keep: Parameters<typeof copyStream>[1]): Body {
  if (body && !isWhole(body)) return copyStream(body, keep);
  void Promise.resolve(toBytes(body ?? "")).then(keep);
  return body;
}

/** A body's text, as it was before it was compressed; `null` when that cannot be undone here. */
async function decompress(body: Uint8Array<ArrayBuffer>, encoding: string) {
  try {
    const plain = new DecompressionStream(encoding as CompressionFormat);
    return await new Response(new Blob([body]).stream().pipeThrough(plain)).text();
  } catch {
    return null;
  }
}
