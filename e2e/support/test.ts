import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import { inFull } from "../../lib/testing/in-full.ts";
import { untilHydrated } from "./hydrated.ts";

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
        if (message.type() !== "error" || isMissingPage) return;
        complaints.push(`${message.text()} (${message.location().url})`);
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
  page: async ({ page, javaScriptEnabled }, use) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    if (javaScriptEnabled !== false) waitForScripts(page);
    await use(page);
  },
});

export { expect };

/** Has `goto` wait for the page's scripts too: they run after the first paint, which the load event does not wait for. */
function waitForScripts(page: Page): void {
  const goto = page.goto.bind(page);
  page.goto = async (url, options) => {
    const response = await goto(url, options);
    if (!options?.waitUntil) await untilHydrated(page);
    return response;
  };
}

/**
 * Axe violations with their elements, of these rules or all, in the page or a part of it. The legacy mode saves a
 * page per run; it leaves out frames of other origins alone, which are not ours.
 */
export async function axeFindings(
  page: Page,
  { tags = [], within }: { tags?: string[]; within?: string } = {},
): Promise<string[]> {
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
  if (tags.length > 0) axe.withTags(tags);
  if (within) axe.include(within);
  const { violations } = await axe.analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}

/** Fails with every axe violation in the page, or in the part of it that just opened. */
export async function expectNoAxeFindings(page: Page, within?: string): Promise<void> {
  expect(await axeFindings(page, within ? { within } : {})).toEqual([]);
}

/** Fails if the page is wider than its window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [content, window] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth];
  });
  expect(content).toBeLessThanOrEqual(window ?? 0);
}

/** Saves a full-page screenshot in `screens`, which no run clears; with `PROOF=full` only, as in `npm run proof`. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!inFull(true, false)) return;
  const folder = join(import.meta.dirname, "../../screens");
  await mkdir(folder, { recursive: true });
  // On a scrolled page, sticky elements would appear in the middle of the screenshot. An open dialog locks
  // scrolling, so its page stays where it is.
  const isCovered = (await page.locator("dialog[open], [role=dialog]").count()) > 0;
  const from = await page.evaluate(() => window.scrollY);
  if (!isCovered) await page.evaluate(() => window.scrollTo(0, 0));
  await untilChartsAreDrawn(page);
  // Screenshots are for people to look at; a browser too busy to draw one must not fail the test.
  await page
    .screenshot({ path: join(folder, `${name}.png`), fullPage: true, timeout: 15_000 })
    .catch(({ message }: Error) =>
      console.warn(`No screenshot ${name}: ${message.split("\n")[0]}`),
    );
  if (!isCovered) await page.evaluate((top) => window.scrollTo(0, top), from);
}

/** A chart is drawn again after the window was resized: a picture before that shows a gap above its legend. */
const untilChartsAreDrawn = (page: Page): Promise<void> =>
  expect
    .poll(
      () =>
        page.evaluate(() =>
          [...document.querySelectorAll("[data-chart]")].every((chart) => {
            const drawn = chart.querySelector("svg.recharts-surface")?.clientWidth ?? 0;
            return Math.abs(drawn - chart.clientWidth) <= 1;
          }),
        ),
      { timeout: 5_000 },
    )
    .toBe(true)
    .catch(() => console.warn("A chart was not drawn before its picture."));
