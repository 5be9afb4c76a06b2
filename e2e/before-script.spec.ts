import type { Page } from "@playwright/test";
import { planOf } from "./support/plan-builder.ts";
import { signInAfresh, signInAsDemo } from "./support/sign-in.ts";
import { expect, test } from "./support/test.ts";

/** Holds every script of the page back, as a slow connection does, until the returned function is called. */
async function holdScripts(page: Page): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/_next/static/**/*.js*", async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

const openUnscripted = (page: Page, path: string) => page.goto(path, { waitUntil: "commit" });

test("a form takes no click and no text before it can keep them", async ({ page }) => {
  await signInAfresh(page);
  const planId = await planOf(page, "Slow page");
  const release = await holdScripts(page);
  await openUnscripted(page, `/plans/${planId}?tab=settings`);
  const [name, save] = [page.getByLabel("Name"), page.getByRole("button", { name: "Save plan" })];
  await expect(save).toBeVisible();
  await expect(save).toBeDisabled();
  await expect(name).not.toBeEditable();
  release();
  await name.fill("");
  await save.click();
  await expect(page.getByText("Enter a name.")).toBeVisible();
});

test("a shortcut pressed before the page can respond works once it can", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  const release = await holdScripts(page);
  await openUnscripted(page, "/settings/profile");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  release();
  await page.waitForURL("**/settings/api-keys");
});

test("a search typed before the page can respond is run once it can", async ({ page }) => {
  await signInAfresh(page);
  await planOf(page, "Alpha");
  const release = await holdScripts(page);
  await openUnscripted(page, "/plans");
  await page.getByRole("searchbox", { name: "Search plans" }).fill("alpha");
  release();
  await expect(page).toHaveURL("/plans?q=alpha");
});

const runLive = (page: Page) => page.getByRole("button", { name: "Run it live" });

test("no script of a page is loaded before the page is painted", async ({ page }) => {
  await page.goto("/");
  await expect(runLive(page)).toBeEnabled();
  const { painted, loaded } = await page.evaluate(() => ({
    painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
    loaded: performance
      .getEntriesByType("resource")
      .filter(({ name }) => /_next\/static\/.*\.js$/.test(name))
      .map(({ startTime }) => startTime),
  }));
  expect(painted).toBeGreaterThan(0);
  expect(Math.min(...loaded)).toBeGreaterThanOrEqual(Number(painted));
});

test("a page in a hidden tab, which is not painted, responds too @long", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(Document.prototype, "hidden", { get: () => true });
    PerformanceObserver.prototype.observe = () => {};
  });
  await page.goto("/");
  await expect(runLive(page)).toBeEnabled();
});
