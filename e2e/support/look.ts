import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

const WIDTHS = [320, 375, 768, 1280, 1920];
export const SCHEMES = ["light", "dark"] as const;
const RULES = [
  ...["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"],
  "best-practice",
];

/** Axe violations of WCAG 2.2 AA and best practices, each with its elements. */
export async function axeFindings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}

async function isWider(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth;
  });
}

/** Describes everything wrong with the current page, in both color schemes and at every width. */
export async function look(page: Page, path: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    if (await isWider(page)) wrong.push(`${path} scrolls sideways at ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const finding of await axeFindings(page)) wrong.push(`${path} ${colorScheme} ${finding}`);
  }
  return wrong;
}
