import { signInAfresh } from "./support/sign-in.ts";
import { expect, test } from "./support/test.ts";

// The browser logs the refusal.
test.use({ mustNotComplain: false });

test("a page that was opened before a deployment says so, and reloads", async ({ page }) => {
  await signInAfresh(page);
  await page.goto("/settings/profile");
  // Another build has none of this page's actions.
  await page.route("**/settings/profile", (route) => {
    const headers = route.request().headers();
    const id = headers["next-action"];
    return route.continue(
      id ? { headers: { ...headers, "next-action": id.slice(0, 2).padEnd(id.length, "0") } } : {},
    );
  });
  await page.getByLabel("Name").fill("After the deployment");
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "out of date" })).toContainText(
    "This page is out of date. Nothing was changed. Reload it.",
  );
  await page.unroute("**/settings/profile");
  await page.getByRole("button", { name: "Reload page" }).click();
  await expect(page.getByText("out of date")).toHaveCount(0);
  await expect(page.getByLabel("Name")).toHaveValue("");
});
