/**
 * How a stream ended: complete, complete but reporting that its work failed, or broken off with or without
 * anything to pay for.
 */
export type StreamEnd = "complete" | "failed" | "partial" | "nothing";

export type StreamWatch = {
  /** Whether a reader that leaves before the first byte owes the answer all the same. */
  isOwedUnread: boolean;
  /** Called with every chunk, before it is handed over; where it throws, the stream breaks off there. */
  onChunk(chunk: Uint8Array): void;
  /** Called before the first byte is handed over, and waited for. */
  onStart(): Promise<void>;
  /** Called once, when the stream is over. What it returns becomes the last chunk of a stream that was read whole. */
  onEnd(end: Exclude<StreamEnd, "failed">): Promise<Uint8Array | null>;
};

/** The same stream at the reader's pace, watched. */
export function watchStream(
  source: ReadableStream<Uint8Array>,
  { isOwedUnread, onChunk, onStart, onEnd }: StreamWatch,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let isStarted = false;
  let isOver = false;
  const end: StreamWatch["onEnd"] = async (how) => {
    if (isOver) return null;
    isOver = true;
    return onEnd(how);
  };

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            onChunk(value);
            if (!isStarted && value.byteLength > 0) {
              await onStart();
              isStarted = true;
            }
            return controller.enqueue(value);
          }
          const last = await end("complete");
          if (last) controller.enqueue(last);
          controller.close();
        } catch (error) {
          reader.cancel(error).catch(() => {});
          await end(isStarted ? "partial" : "nothing");
          throw error;
        }
      },
      async cancel(reason) {
        const how = isStarted || isOwedUnread ? "partial" : "nothing";
        await Promise.all([reader.cancel(reason), end(how)]);
      },
    },
    // Nothing is read ahead: a chunk counts as delivered only once it was read.
    { highWaterMark: 0 },
  );
}
