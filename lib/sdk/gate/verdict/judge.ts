import { isEventStream, mayBeJson } from "../media-types.ts";
import { copyStream, createCopy } from "../repeats/copy-stream.ts";
import { watchStream } from "../watch-stream.ts";
import { holdBody } from "./hold-body.ts";
import { isKnownSuccess, type SuccessCheck } from "./outcome.ts";
import { createStreamVerdict } from "./stream-verdict.ts";

export { copyStream, createCopy, createStreamVerdict, holdBody, watchStream };

/** Whether a whole answer is one of work that succeeded, by the route's own check where it has one. */
export async function judgeWhole(
  response: Response,
  body: Uint8Array<ArrayBuffer>,
  isSuccess: SuccessCheck | undefined,
): Promise<boolean> {
  const { status, headers } = response;
  if (isEventStream(headers)) {
    const verdict = createStreamVerdict(response, isSuccess);
    verdict.read(body);
    return !verdict.hasFailed();
  }
  if (!isSuccess && !mayBeJson(headers)) return true;
  const text = await textOf(body, headers.get("content-encoding"));
  return text === null || (isSuccess ?? isKnownSuccess)({ status, headers, text });
}

/** A body's text, as it was before it was compressed; `null` when that cannot be undone here. */
async function textOf(body: Uint8Array<ArrayBuffer>, encoding: string | null) {
  if (!encoding) return new TextDecoder().decode(body);
  try {
    const plain = new DecompressionStream(encoding as CompressionFormat);
    return await new Response(new Blob([body]).stream().pipeThrough(plain)).text();
  } catch {
    return null;
  }
}
