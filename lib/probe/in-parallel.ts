/** Processes several items at a time and yields each result with its index as it arrives. */
export async function* inParallel<T, R>(
  items: readonly T[],
  size: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<{ index: number; result: R }> {
  let next = 0;
  const running = new Map<number, Promise<{ index: number; result: R }>>();
  const start = () => {
    const index = next++;
    running.set(
      index,
      work(items[index] as T).then((result) => ({ index, result })),
    );
  };
  while (next < Math.min(size, items.length)) start();
  while (running.size > 0) {
    const done = await Promise.race(running.values());
    running.delete(done.index);
    if (next < items.length) start();
    yield done;
  }
}
