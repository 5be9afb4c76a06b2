import { readSandbox } from "./support/sandbox-file.ts";
import { signInAsDemo } from "./support/sign-in.ts";
import { expect, test } from "./support/test.ts";

const LISTS = [
  "/approvals",
  "/balance",
  "/balance/payouts",
  "/balance/refunds",
  "/customers",
  "/settings/audit",
];
const OBJECTS = ["/subscriptions/zz", "/checkout/zz", "/plans/zz", "/agents/zz", "/activity/z%20z"];

test("a page of a list that no longer exists leads to the first", async ({ page }) => {
  await signInAsDemo(page, "builder");
  const { plans } = await readSandbox();
  for (const path of [...LISTS, `/plans/${plans.crypto}?tab=subscribers`]) {
    await page.goto(`${path}${path.includes("?") ? "&" : "?"}cursor=of-before`);
    await expect(page, path).toHaveURL(path);
    await expect(page.getByRole("alert").filter({ hasText: "could not be loaded" })).toHaveCount(0);
  }
});

test.describe("a malformed id", () => {
  // The browser logs each 404.
  test.use({ mustNotComplain: false });

  test("is a page that is not found, not an error", async ({ page }) => {
    await signInAsDemo(page, "builder");
    for (const path of OBJECTS) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 }), path).toHaveText(/ not found$/);
    }
  });
});
