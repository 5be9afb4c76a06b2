/** What the work resolves to. Rejects at once when `signal` aborts, whatever the work does then, and leaves no listener behind. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason);
  });
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return Promise.race([work, aborted]).finally(() => signal?.removeEventListener("abort", abort));
}
