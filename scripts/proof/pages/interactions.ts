import type { Page } from "@playwright/test";

/** An interaction's slowest event: the time from input to the next paint. */
export type Interaction = { ms: number; event: string; target: string };

type Watch = { slow: Record<number, Interaction> };

/** Records the interactions of every page in the context; those under 16 ms are only counted. */
export async function watchInteractions(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const watch: Watch = { slow: {} };
    Object.assign(window, { interactions: watch });
    type EventTiming = PerformanceEntry & { interactionId: number; target: Element | null };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as EventTiming[]) {
        const { interactionId, duration, name, target } = entry;
        if (!interactionId || duration <= (watch.slow[interactionId]?.ms ?? 0)) continue;
        const label = target?.getAttribute("aria-label") ?? target?.textContent ?? "";
        watch.slow[interactionId] = { ms: duration, event: name, target: label.slice(0, 40) };
      }
    }).observe({ type: "event", durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  });
}

/** The recorded interactions, slowest first, and the total count. */
export async function readInteractions(
  page: Page,
): Promise<{ slow: Interaction[]; count: number }> {
  return page.evaluate(() => {
    const { interactions } = window as unknown as { interactions: Watch };
    const slow = Object.values(interactions.slow).sort((a, b) => b.ms - a.ms);
    const { interactionCount = 0 } = performance as { interactionCount?: number };
    return { slow, count: Math.max(interactionCount, slow.length) };
  });
}
