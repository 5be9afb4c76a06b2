import type { Page } from "@playwright/test";
import { untilHydrated } from "../support/hydrated.ts";
import { clientOf, readSandbox } from "../support/sandbox-file.ts";
import { signInAfresh, signInAsDemo } from "../support/sign-in.ts";
import { makeApiKey } from "../support/subscriber.ts";
import { expect, test } from "../support/test.ts";

/** The focused control's name, if a fixed or sticky bar covers all of it. */
const coveredFocus = (page: Page): Promise<string | null> =>
  page.evaluate(() => {
    const focused = document.activeElement;
    if (!focused || focused === document.body || focused.closest("header, nav")) return null;
    const { left, right, top, bottom } = focused.getBoundingClientRect();
    const isSeen = [top + 2, (top + bottom) / 2, bottom - 2].some((y) => {
      const shown = document.elementFromPoint((left + right) / 2, y);
      return shown !== null && !shown.closest("header:not(main *), nav[aria-label=Shortcuts]");
    });
    return isSeen ? null : focused.getAttribute("aria-label") || focused.textContent || focused.id;
  });

test("no bar covers what the keyboard focuses", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  await page.setViewportSize({ width: 390, height: 700 });
  for (const path of ["/alerts", "/settings/budgets", "/balance"]) {
    await page.goto(path);
    await untilHydrated(page);
    const covered: (string | null)[] = [];
    for (const key of ["Tab", "Shift+Tab"]) {
      for (let presses = 0; presses < 50; presses++) {
        await page.keyboard.press(key);
        covered.push(await coveredFocus(page));
      }
    }
    expect([...new Set(covered)].filter(Boolean), path).toEqual([]);
  }
});

test("with the browser's text at twice its size, a phone does not scroll sideways", async ({
  page,
}) => {
  const { agent } = await readSandbox();
  await signInAsDemo(page, "builder");
  const browser = await page.context().newCDPSession(page);
  await browser.send("Page.setFontSizes", { fontSizes: { standard: 32, fixed: 26 } });
  await page.setViewportSize({ width: 390, height: 844 });
  const plans = `/agents/${agent.agentId}/plans`;
  for (const path of ["/", "/home", "/plans/new", plans, "/explore", "/docs", "/playground"]) {
    await page.goto(path);
    const size = await page.evaluate(() => getComputedStyle(document.body).fontSize);
    expect(size, path).toBe("32px");
    const [scrolled, seen] = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return [scrollWidth, clientWidth];
    });
    expect(scrolled, path).toBe(seen);
  }
});

test("a phone whose system zooms to 200% does not scroll sideways for the top bar", async ({
  page,
}) => {
  await signInAsDemo(page, "builder");
  await page.setViewportSize({ width: 195, height: 422 });
  await page.goto("/home");
  const bar = page.locator("[data-top-bar]");
  expect(await bar.evaluate((element) => element.scrollWidth)).toBeLessThanOrEqual(195);
  await expect(bar.getByRole("button", { name: /^Account/ })).toBeInViewport({ ratio: 1 });
  const places = page.getByRole("navigation", { name: "Shortcuts" }).getByRole("link");
  const spilled = await places.evaluateAll((links) =>
    links
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map((link) => link.textContent),
  );
  expect(spilled).toEqual([]);
});

test("on a phone a message is below the top bar, and covers no button", async ({ page }) => {
  await signInAfresh(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/settings/profile");
  await page.getByLabel("Name").fill("Ada");
  await page.getByRole("button", { name: "Save name" }).click();
  const message = page.getByRole("region", { name: "Messages" }).getByRole("status");
  await expect(message).not.toBeEmpty();
  const found = await page.evaluate(() => {
    const boxes = (selector: string) =>
      [...document.querySelectorAll(selector)].map((each) => each.getBoundingClientRect());
    const [shown] = boxes("section[aria-label=Messages] [role=status] > *");
    const { top = 0, bottom = 0 } = shown ?? {};
    const covered = boxes("header button, header a, main button, main a, nav a").filter(
      (control) => control.top < bottom && control.bottom > top,
    );
    return { isAtTop: top > 0 && bottom < innerHeight / 4, covered: covered.length };
  });
  // What a thumb presses is at the bottom.
  expect(found).toEqual({ isAtTop: true, covered: 0 });
});

test("on a phone a message covers no bar that stays below the top bar", async ({ page }) => {
  await signInAfresh(page);
  const { alerts } = clientOf({ apiKey: await makeApiKey(page) });
  await alerts.createAlertRule({ kind: "unsettled", threshold: 77, channels: ["webhook"] });
  await page.setViewportSize({ width: 390, height: 600 });
  await page.goto("/alerts");
  // Its message stays until it is answered.
  await page.getByRole("button", { name: /^Remove rule/ }).click();
  const message = page.getByRole("region", { name: "Messages" }).getByRole("status");
  await expect(message).toContainText("Undo");
  for (const { ways, bar } of [
    { ways: ["Playground"], bar: page.getByRole("list", { name: "Steps" }) },
    { ways: ["Plans", "New plan"], bar: page.getByRole("button", { name: "Preview" }) },
  ]) {
    await page.getByRole("button", { name: "Open navigation" }).click();
    for (const name of ways) await page.getByRole("link", { name, exact: true }).first().click();
    await expect(bar).toBeVisible();
    for (const scrolled of [0, 60, 120, 400]) {
      await page.evaluate((top) => scrollTo(0, top), scrolled);
      const overlap = async () => {
        const [shown, kept] = [await message.locator("> *").boundingBox(), await bar.boundingBox()];
        return shown && kept && shown.y < kept.y + kept.height && shown.y + shown.height > kept.y;
      };
      await expect.poll(overlap, `${ways.at(-1)}, scrolled by ${scrolled} px`).toBe(false);
    }
  }
});

test("on a phone no bar covers the error of a request that can't run", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  await page.setViewportSize({ width: 390, height: 700 });
  await page.goto("/playground");
  await page.getByRole("tab", { name: "Payer" }).click();
  await page.getByRole("combobox", { name: "Pay as" }).click();
  await page.getByRole("option", { name: "A token" }).click();
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.getByRole("button", { name: /^Run all/ }).click();
  await expect(page.getByRole("textbox", { name: "Access token" })).toBeFocused();
  const error = page.getByText("Paste an access token, or choose another option.");
  const isSeen = await error.evaluate((element) => {
    const { left, top, bottom } = element.getBoundingClientRect();
    return [top + 2, bottom - 2].every((y) =>
      element.contains(document.elementFromPoint(left + 2, y)),
    );
  });
  expect(isSeen).toBe(true);
});

test("on a visitor's phone, which has no bar of shortcuts, Run is at the edge", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 700 });
  await page.goto("/playground");
  await page.getByRole("tab", { name: "Timeline" }).click();
  const bar = page.getByRole("button", { name: /^Run all/ }).locator("..");
  const { y = 0, height = 0 } = (await bar.boundingBox()) ?? {};
  expect(y + height).toBe(700);
});

test("the link that skips to the content is on top of the bar", async ({ page }) => {
  await signInAsDemo(page, "builder");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/home");
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to content" });
  await expect(skip).toBeFocused();
  const { x = 0, y = 0 } = (await skip.boundingBox()) ?? {};
  const shown = await page.evaluate(
    ([left = 0, top = 0]) => document.elementFromPoint(left, top)?.textContent,
    [x + 12, y + 12],
  );
  expect(shown).toContain("Skip to content");
});

test("the navigation sheet dims the page in both schemes", async ({ page }) => {
  await signInAsDemo(page, "builder");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/home");
  await page.getByRole("button", { name: "Open navigation" }).click();
  const sheet = page.getByRole("dialog", { name: "Navigation" });
  await expect(sheet).toBeVisible();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const scrim = await sheet.evaluate((element) => {
      const { backgroundColor } = getComputedStyle(element.previousElementSibling ?? element);
      const dot = document.createElement("canvas").getContext("2d");
      if (!dot) return [];
      dot.fillStyle = backgroundColor;
      dot.fillRect(0, 0, 1, 1);
      return [...dot.getImageData(0, 0, 1, 1).data];
    });
    expect(Math.max(...scrim.slice(0, 3)), colorScheme).toBeLessThan(64);
  }
});
