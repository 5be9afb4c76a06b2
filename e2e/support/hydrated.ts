import type { Page } from "@playwright/test";

/**
 * Waits until the page's script has taken over every control that is visible. Requests are no measure: the stream of
 * events stays open.
 */
export async function untilHydrated(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    [
      ...document.querySelectorAll("main button, main input:not([type=hidden]), header button"),
    ].every((control) => Object.keys(control).some((key) => key.startsWith("__reactProps$"))),
  );
}
