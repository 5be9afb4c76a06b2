/** The body of a captured response: written like a Node stream, read like a Web one. */
export type CapturedBody = {
  stream: ReadableStream<Uint8Array>;
  /** Adds bytes; `false` when the writer should wait for `drain`. */
  write(bytes: Uint8Array): boolean;
  end(): void;
  fail(error: unknown): void;
  /** Drops what is written from now on. */
  drop(): void;
};

const HIGH_WATER_BYTES = 64 * 1024;

/**
 * A body whose writer waits while its reader does; `onDrain` is called when it may go on, and `onCancel` when the reader
 * wants no more.
 */
export function createCapturedBody(onDrain: () => void, onCancel: () => void): CapturedBody {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let isOpen = true;
  let isFull = false;

  const stream = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given;
      },
      pull: () => {
        if (!isFull || !isOpen) return;
        isFull = false;
        onDrain();
      },
      cancel: () => {
        isOpen = false;
        // A waiting writer must finish, although its bytes are dropped.
        if (isFull) onDrain();
        onCancel();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER_BYTES }),
  );
  const close = (how: (open: ReadableStreamDefaultController<Uint8Array>) => void) => {
    if (isOpen && controller) how(controller);
    isOpen = false;
  };

  return {
    stream,
    write(bytes) {
      if (!isOpen || !controller) return true;
      if (bytes.byteLength > 0) controller.enqueue(bytes);
      isFull = (controller.desiredSize ?? 1) <= 0;
      return !isFull;
    },
    end: () => close((open) => open.close()),
    fail: (error) => close((open) => open.error(error)),
    drop: () => close(() => {}),
  };
}
