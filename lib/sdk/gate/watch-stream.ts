/** How a stream ended: read to its end, or broken or left with or without bytes handed on. */
export type StreamEnd = "complete" | "partial" | "nothing";

/**
 * The same stream, chunk by chunk as the reader asks, and one call of `onEnd` when it is over. What
 * `onEnd` answers to a complete stream becomes its last chunk.
 */
export function watchStream(
  source: ReadableStream<Uint8Array>,
  onEnd: (end: StreamEnd) => Promise<Uint8Array | null>,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let handedOn = false;
  let isOver = false;
  const end = async (how: StreamEnd): Promise<Uint8Array | null> => {
    if (isOver) return null;
    isOver = true;
    return onEnd(how);
  };
  const broken = (): StreamEnd => (handedOn ? "partial" : "nothing");

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await reader.read().catch(async (error: unknown) => {
          await end(broken());
          throw error;
        });
        if (!chunk.done) {
          handedOn ||= chunk.value.byteLength > 0;
          controller.enqueue(chunk.value);
          return;
        }
        const last = await end("complete");
        if (last) controller.enqueue(last);
        controller.close();
      },
      async cancel(reason) {
        await Promise.all([reader.cancel(reason), end(broken())]);
      },
    },
    // Nothing is read ahead, so that a chunk counts as delivered only when somebody took it.
    { highWaterMark: 0 },
  );
}
