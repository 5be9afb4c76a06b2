/** Browsers without a word for idleness get this long to be done with the page. */
const SOON_MS = 1_000;

/** Does something once the browser has nothing better to do. What it returns calls it off. */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === "undefined") {
    const timer = setTimeout(work, SOON_MS);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(() => work());
  return () => cancelIdleCallback(handle);
}
