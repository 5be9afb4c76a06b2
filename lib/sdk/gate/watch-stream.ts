/** How a stream ended: complete, or broken off with or without bytes delivered. */
export type StreamEnd = "complete" | "partial" | "nothing";

/**
 * The same stream at the reader's pace, with one call of `onEnd` when it is over. What `onEnd` returns
 * for a complete stream becomes its last chunk.
 */
export function watchStream(
  source: ReadableStream<Uint8Array>,
  onEnd: (end: StreamEnd) => Promise<Uint8Array | null>,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let isStarted = false;
  let isOver = false;
  const end = async (how: StreamEnd): Promise<Uint8Array | null> => {
    if (isOver) return null;
    isOver = true;
    return onEnd(how);
  };
  const broken = (): StreamEnd => (isStarted ? "partial" : "nothing");

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await reader.read().catch(async (error: unknown) => {
          await end(broken());
          throw error;
        });
        if (!chunk.done) {
          isStarted ||= chunk.value.byteLength > 0;
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
    // Nothing is read ahead: a chunk counts as delivered only once it was read.
    { highWaterMark: 0 },
  );
}
