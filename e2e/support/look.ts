import type { Page } from "@playwright/test";
import { inFull } from "../../lib/testing/in-full.ts";
import { axeFindings, expect, expectNoSidewaysScroll, takePicture } from "./test.ts";

/** `docs/proof.md` names the first, a phone’s whose system zooms to 200%, and the last. */
const WIDTHS = [195, 320, 375, 768, 1280, 1920];
export const SCHEMES = ["light", "dark"] as const;
const RULES = [
  ...["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"],
  "best-practice",
];

/** Axe violations of WCAG 2.2 AA and best practices, each with its elements. */
export const wcagFindings = (page: Page): Promise<string[]> => axeFindings(page, { tags: RULES });

/**
 * Fails if the open page scrolls sideways at a width, or axe finds anything: in light at the last width and in dark at
 * the first; with `PROOF=full` in both schemes at every width. Leaves the page light at the last width.
 */
export async function expectGoodLooks(page: Page, widths: number[], name: string): Promise<void> {
  const looks = SCHEMES.toReversed().flatMap((colorScheme) =>
    widths.map((width) => ({ colorScheme, width })),
  );
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 900 });
    await expectNoSidewaysScroll(page);
    const isCorner = width === (colorScheme === "light" ? widths.at(-1) : widths[0]);
    if (inFull(true, isCorner)) {
      expect(await axeFindings(page), `${name}, ${colorScheme}, ${width} px`).toEqual([]);
    }
    await takePicture(page, `${name}-${width}-${colorScheme}`);
  }
}

/** What is wider than the window and makes the page scroll sideways, or null. */
async function findWider(page: Page): Promise<string | null> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return null;
    const wide = [...document.querySelectorAll("body *")].filter(
      (element) => Math.round(element.getBoundingClientRect().right) === scrollWidth,
    );
    return `${scrollWidth} px wide, by ${wide.map(({ outerHTML }) => outerHTML.slice(0, 120)).join(" ")}`;
  });
}

/** Describes everything wrong with the current page, in both color schemes and at every width. */
export async function look(page: Page, path: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const wider = await findWider(page);
    if (wider) wrong.push(`${path} scrolls sideways at ${width}: ${wider}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const finding of await wcagFindings(page)) wrong.push(`${path} ${colorScheme} ${finding}`);
  }
  return wrong;
}
