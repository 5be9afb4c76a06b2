import { vi } from "vitest";

/** For `beforeEach`: waits pass twenty times as fast, and the steady clock with them. */
export function skipWaits(): () => void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const ticking = setInterval(() => vi.advanceTimersByTime(100), 5);
  return () => {
    clearInterval(ticking);
    vi.useRealTimers();
  };
}
