/** Lets the process end while a timer waits, or a socket does. */
export function letGo(waiting: unknown): void {
  if (typeof waiting === "object" && waiting !== null && "unref" in waiting) {
    (waiting as { unref(): void }).unref();
  }
}
