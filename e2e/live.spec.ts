import type { Page } from "@playwright/test";
import { payOnce } from "./support/parties.ts";
import { signInAfresh, signInAsDemo } from "./support/sign-in.ts";
import { expect, test } from "./support/test.ts";

const WITHIN_MS = 2_000;
const IDLE_MS = 60_000;
const QUIET_MS = 7_000;

const isStream = (url: string) => url.endsWith("/data/events");
const isData = (url: string) => new URL(url).pathname.startsWith("/data/");

/** Opens a page, and waits until its stream of events is open; `quiet` waits until everything it asked for has come. */
async function openFollowed(page: Page, path: string) {
  const asked: string[] = [];
  let lastAt = Date.now();
  page.on("request", (request) => {
    asked.push(request.url());
    lastAt = Date.now();
  });
  const opened = page.waitForResponse((response) => isStream(response.url()));
  await page.goto(path);
  expect((await opened).status()).toBe(200);
  const quiet = () =>
    expect.poll(() => Date.now() - lastAt, { timeout: 40_000 }).toBeGreaterThan(QUIET_MS);
  return { asked, quiet };
}

test("a settled call is on Home and on Activity within two seconds, without polling", async ({
  page,
}) => {
  test.setTimeout(120_000);
  await signInAsDemo(page, "builder");
  const activity = await page.context().newPage();
  const followed = await Promise.all([
    openFollowed(page, "/home?tests=1"),
    openFollowed(activity, "/activity?tests=1"),
  ]);
  for (const { asked } of followed) expect(asked.filter(isStream)).toHaveLength(1);
  const requestId = await payOnce();
  const settledAt = Date.now();
  const shown = await Promise.all([
    page
      .locator(`a[href="/activity/${requestId}"]`)
      .waitFor()
      .then(() => Date.now() - settledAt),
    activity
      .locator(`[data-row="${requestId}"], a[href*="${requestId}"]`)
      .first()
      .waitFor()
      .then(() => Date.now() - settledAt),
  ]);
  console.log(`live: on Home after ${shown[0]} ms, on Activity after ${shown[1]} ms`);
  for (const ms of shown) expect(ms).toBeLessThan(WITHIN_MS);
});

test("a hidden page closes its stream, and an idle one asks for nothing for a minute @long", async ({
  page,
}) => {
  test.setTimeout(180_000);
  // Its own account: what other tests do as the demo builder is news.
  await signInAfresh(page);
  for (const path of ["/activity", "/home"]) {
    const { asked, quiet } = await openFollowed(page, path);
    await quiet();
    const before = asked.length;
    await new Promise((done) => setTimeout(done, path === "/activity" ? IDLE_MS : 0));
    console.log(`live: ${asked.length - before} requests in an idle minute of ${path}`);
    expect(asked.slice(before)).toEqual([]);
    const closed = page.waitForEvent("requestfailed", (request) => isStream(request.url()));
    await setHidden(page, true);
    await closed;
    const opened = page.waitForResponse((response) => isStream(response.url()));
    await setHidden(page, false);
    expect((await opened).status()).toBe(200);
  }
});

test("a page whose session ended in another tab says so, offers to sign in, and asks no more", async ({
  page,
}) => {
  await signInAsDemo(page, "builder");
  const { asked } = await openFollowed(page, "/activity");
  await setHidden(page, true);
  await signOutBeside(page);
  const before = asked.length;
  await setHidden(page, false);
  const notice = page.getByRole("alert").filter({ hasText: "You were signed out" });
  await expect(notice).toHaveCount(1);
  expect(asked.slice(before).filter(isStream)).toHaveLength(1);
  const shown = asked.length;
  await setHidden(page, true);
  await setHidden(page, false);
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  // Next still fetches the code of the pages in view, which needs no session.
  expect(asked.slice(shown).filter(isData)).toEqual([]);
  await notice.getByRole("link", { name: "Sign in" }).click();
  await page.waitForURL("/sign-in?next=%2Factivity");
  await page.getByRole("button", { name: "Continue as demo builder" }).click();
  await page.waitForURL("/activity");
  await expect(notice).toHaveCount(0);
});

test("a page says no more that it was signed out after the next one has opened for the person signed in again", async ({
  page,
}) => {
  await signInAsDemo(page, "builder");
  await openFollowed(page, "/activity");
  await setHidden(page, true);
  await signOutBeside(page);
  await setHidden(page, false);
  const notice = page.getByRole("alert").filter({ hasText: "You were signed out" });
  await expect(notice).toHaveCount(1);
  await signInAsDemo(page, "builder");
  const opened = page.waitForResponse((response) => isStream(response.url()));
  await page.getByRole("link", { name: "Plans", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Plans" })).toBeVisible();
  await opened;
  await expect(notice).toHaveCount(0);
});

test("a form of one account changes nothing of another that signed in beside it, and offers to reload", async ({
  page,
  browser,
}) => {
  await signInAfresh(page);
  // As between two messages of the stream, which the page learns it from.
  const quiet = { contentType: "text/event-stream", body: "retry: 60000\n\n" };
  await page.route("**/data/events", (route) => route.fulfill(quiet));
  await page.goto("/settings/profile");
  const account = page.getByRole("button", { name: /^Account / });
  const shown = await account.getAttribute("title");
  const other = await browser.newContext();
  await signInAfresh(await other.newPage());
  await page.context().addCookies(await other.cookies());
  await other.close();
  await page.getByLabel("Name").fill("Ada");
  await page.getByRole("button", { name: "Save name" }).click();
  const refusal = page.getByRole("alert").filter({ hasText: "signed in to another account now" });
  await refusal.getByRole("button", { name: "Reload page" }).click();
  await expect(account).not.toHaveAttribute("title", shown ?? "");
  await expect(page.getByLabel("Name")).toHaveValue("");
});

/** Signs the browser out in another tab. */
async function signOutBeside(page: Page): Promise<void> {
  const other = await page.context().newPage();
  await other.goto("/home");
  await other.getByRole("button", { name: /^Account / }).click();
  await other.getByRole("menuitem", { name: "Sign out" }).click();
  await other.waitForURL("/");
}

const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate((hidden) => {
    const visibilityState = { value: hidden ? "hidden" : "visible", configurable: true };
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    Object.defineProperty(document, "visibilityState", visibilityState);
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
