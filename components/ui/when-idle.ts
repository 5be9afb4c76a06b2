/** Safari has no idle callback; by then a page has painted and answered its first press. */
const WITHOUT_IDLE_MS = 1_000;

/**
 * Runs the work once the page has nothing else to do, so that what a first visit does not need leaves
 * the line and the processor to what it does. Answers how to call it off.
 *
 * @example useEffect(() => whenIdle(() => void loadRules()), []);
 */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === "function") {
    const handle = requestIdleCallback(work);
    return () => cancelIdleCallback(handle);
  }
  const timer = setTimeout(work, WITHOUT_IDLE_MS);
  return () => clearTimeout(timer);
}
