import { expectGoodLooks } from "./support/look.ts";
import { expect, test } from "./support/test.ts";

test("search finds operations by name, path, method and summary @long", async ({ page }) => {
  await page.goto("/docs/api");
  const shown = page.locator("article:visible h3 a");
  const all = await shown.count();
  expect(all).toBeGreaterThan(30);
  const field = page.getByRole("searchbox", { name: "Find an operation" });
  await field.fill("settle");
  await expect(shown.filter({ hasText: "settlePermissions" })).toBeVisible();
  await expect(shown.filter({ hasText: "createApiKey" })).toHaveCount(0);
  await field.fill("delete x402 token");
  await expect(shown).toHaveText(["revokeToken"]);
  await expect(page.getByText(`1 of ${all} operations`)).toBeVisible();
  await field.fill("no such thing");
  await expect(shown).toHaveCount(0);
  await expect(page.getByText("No operations match “no such thing”.")).toBeVisible();
  await field.fill("");
  await expect(shown).toHaveCount(all);
});

test("every operation has a URL and lists its fields and errors", async ({ page }) => {
  await page.goto("/docs/api#settlePermissions");
  const settle = page.locator("#settlePermissions");
  await expect(settle).toBeInViewport();
  await settle.locator("summary", { hasText: "Input" }).click();
  await expect(settle.getByText("x402AccessToken")).toBeVisible();
  await settle.locator("summary", { hasText: "Response" }).click();
  await expect(settle.getByText("remainingBalance").first()).toBeVisible();
  await expect(page.locator("#error-insufficient_balance")).toContainText("402");
});

test("axe finds nothing, and nothing scrolls sideways @long", async ({ page }) => {
  test.slow();
  await page.goto("/docs/api");
  for (const id of ["registerCreditsPlan", "verifyPermissions"]) {
    await page.locator(`#${id}`).locator("summary", { hasText: "Input" }).click();
  }
  await expectGoodLooks(page, [320, 768, 1280], "api-reference");
});

test("the reference is complete without JavaScript", async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL });
  const page = await context.newPage();
  await page.goto("/docs/api");
  await expect(page.locator("#settlePermissions")).toBeVisible();
  await context.close();
});

test.describe("with a URL that returns 404", () => {
  test.use({ mustNotComplain: false });

  test("a missing page says so and links back", async ({ page }) => {
    const answer = await page.goto("/nowhere");
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
    await page.getByRole("link", { name: "Go to the home page" }).click();
    await expect(page).toHaveURL("/");
  });
});
