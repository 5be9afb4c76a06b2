import "server-only";

/** A file that is made while it is read. */
export type Download = {
  contentType: string;
  /** The name to save it under; left out for an answer that is not saved. */
  fileName?: string;
  chunks: AsyncIterable<string | Uint8Array>;
};

/** Texts are sent in pieces of this many characters. */
const PIECE = 32 * 1024;
const encoder = new TextEncoder();

/** Its response, never cached; made as fast as the client reads. */
export function downloadResponse({ contentType, fileName, chunks }: Download): Response {
  const iterator = pieces(chunks);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await iterator.return();
    },
  });
  return new Response(body, {
    headers: {
      "content-type": contentType,
      ...(fileName && { "content-disposition": `attachment; filename="${fileName}"` }),
      "cache-control": "no-store, private",
    },
  });
}

async function* pieces(
  chunks: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let text = "";
  for await (const chunk of chunks) {
    if (typeof chunk !== "string") {
      yield chunk;
      continue;
    }
    text += chunk;
    if (text.length < PIECE) continue;
    yield encoder.encode(text);
    text = "";
  }
  if (text) yield encoder.encode(text);
}
