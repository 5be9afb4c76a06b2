import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";

type Watch = {
  /** Set to false in a test that causes console errors on purpose. */
  mustNotComplain: boolean;
  watch: undefined;
};

/** A test that fails on console errors, uncaught errors and policy violations. */
export const test = base.extend<Watch>({
  mustNotComplain: [true, { option: true }],
  watch: [
    async ({ page, mustNotComplain }, use) => {
      const complaints: string[] = [];
      // The browser logs the 404 of a missing page itself.
      const visited = new Set<string>();
      page.on("request", (request) => {
        if (request.isNavigationRequest()) visited.add(request.url());
      });
      page.on("console", (message) => {
        const isMissingPage =
          message.text().includes("status of 404") && visited.has(message.location().url);
        if (message.type() === "error" && !isMissingPage) complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
      await page.addInitScript(() => {
        document.addEventListener(
          "securitypolicyviolation",
          ({ violatedDirective, blockedURI }) => {
            console.error(`policy violation: ${violatedDirective} ${blockedURI}`);
          },
        );
      });
      await use(undefined);
      if (mustNotComplain) expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
  page: async ({ page }, use) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await use(page);
  },
});

export { expect };

/** Fails with every axe violation and its elements. */
export async function expectNoAxeFindings(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const findings = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
  expect(findings).toEqual([]);
}

/** Fails if the page is wider than its window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [content, window] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth];
  });
  expect(content).toBeLessThanOrEqual(window ?? 0);
}

/** Saves a full-page screenshot in `screens`, which no run clears. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = join(import.meta.dirname, "../../screens");
  await mkdir(folder, { recursive: true });
  // On a scrolled page, sticky elements would appear in the middle of the screenshot. An open dialog locks
  // scrolling, so its page stays where it is.
  const isCovered = (await page.locator("dialog[open], [role=dialog]").count()) > 0;
  const from = await page.evaluate(() => window.scrollY);
  if (!isCovered) await page.evaluate(() => window.scrollTo(0, 0));
  // Screenshots are for people to look at; a browser too busy to draw one must not fail the test.
  await page
    .screenshot({ path: join(folder, `${name}.png`), fullPage: true, timeout: 15_000 })
    .catch(({ message }: Error) =>
      console.warn(`No screenshot ${name}: ${message.split("\n")[0]}`),
    );
  if (!isCovered) await page.evaluate((top) => window.scrollTo(0, top), from);
}
