import { useEffect, useReducer } from "react";

/** Covers clocks and timers that round differently. */
const TIMER_MARGIN_MS = 50;

/** Renders again at the next of these times, in milliseconds since 1970. */
export function useRenderAt(times: number[]): void {
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  const next = Math.min(...times.filter((time) => time > Date.now()));
  useEffect(() => {
    if (next === Infinity) return;
    const timer = setTimeout(renderAgain, next - Date.now() + TIMER_MARGIN_MS);
    return () => clearTimeout(timer);
  }, [next]);
}
