// How the shared controls behave by keyboard and for assistive technology, each on a page that has it.
import type { Page } from "@playwright/test";
import { payOnce } from "./support/parties.ts";
import { chooseKind, goOn, openBuilder } from "./support/plan-builder.ts";
import { signInAfresh, signInAsDemo } from "./support/sign-in.ts";
import { expect, expectNoAxeFindings, test } from "./support/test.ts";

/** Creates a delegation of 5.00 USD, and opens its page. */
async function delegate(page: Page, name: string): Promise<void> {
  await page.goto("/delegations/new");
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "5.00", exact: true }).click();
  await page.getByRole("button", { name: "Create delegation" }).click();
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
}

test("a dialog focuses the safe answer, locks scrolling and restores the focus; its toast can be dismissed", async ({
  page,
}) => {
  await signInAfresh(page);
  await delegate(page, "Nightly job");
  const opener = page.getByRole("button", { name: "Revoke", exact: true });
  await opener.click();
  await expect(page.getByRole("button", { name: "Keep it" })).toBeFocused();
  expect(await page.evaluate(() => getComputedStyle(document.body).overflow)).toBe("hidden");
  await expectNoAxeFindings(page, "[role=dialog]");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(opener).toBeFocused();

  await opener.click();
  await page.getByRole("button", { name: "Revoke delegation" }).click();
  const message = page.getByText("“Nightly job” is revoked");
  // A toast stays while hovered.
  await message.hover();
  await expectNoAxeFindings(page, "section[aria-label=Messages]");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect(message).toHaveCount(0);
});

test("a field describes its value and its error; a select opens with arrows, finds by letter and picks with Enter @long", async ({
  page,
}) => {
  await signInAfresh(page);
  await openBuilder(page);
  await chooseKind(page, "Time pass");
  await page
    .getByRole("group", { name: "Paid with" })
    .getByText("Stablecoin", { exact: true })
    .click();
  const amount = page.getByLabel("Amount");
  await amount.fill("0.0000001");
  await amount.blur();
  await expect(amount).toHaveAttribute("aria-invalid", "true");
  await expect(amount).toHaveAccessibleDescription(/This currency has 6 decimals/);
  await amount.fill("0.5");
  await expect(amount).toHaveAccessibleDescription(/= 500,000 base units \(6 decimals\)/);
  await goOn(page, "Continue to credits");

  const select = page.getByRole("combobox", { name: "Unit of time" });
  const chosen = (await select.textContent()) ?? "";
  await select.press("ArrowDown");
  await expect(page.getByRole("option", { name: chosen, exact: true })).toBeFocused();
  await expectNoAxeFindings(page, "[role=listbox]");
  await page.keyboard.press("w");
  await page.keyboard.press("Enter");
  await expect(select).toHaveText("week");
  await expect(select).toBeFocused();
  await select.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.press("Escape");
  await expect(select).toHaveText("week");
});

test("arrow keys move through a chart's points, and its table has the same values @long", async ({
  page,
}) => {
  await payOnce();
  await signInAsDemo(page, "builder");
  await page.goto("/home?tests=1");
  const chart = page.getByRole("slider", { name: /: point$/ }).first();
  await expect(chart).toBeVisible();
  await chart.focus();
  const last = Number(await chart.getAttribute("aria-valuenow"));
  await page.keyboard.press("ArrowLeft");
  await expect(chart).toHaveAttribute("aria-valuenow", String(last - 1));
  await page.keyboard.press("End");
  await expect(chart).toHaveAttribute("aria-valuenow", String(last));
  // Other tests' calls may be counted between the two readings.
  await expect(async () => {
    await page.getByText("Chart", { exact: true }).first().click();
    await chart.press("End");
    const text = (await chart.getAttribute("aria-valuetext")) ?? "";
    await page.getByText("Table", { exact: true }).first().click();
    const [at = "", values = ""] = text.split(/ UTC: /);
    const cells = page.getByRole("row").filter({ hasText: at }).getByRole("cell");
    const numbers = (await cells.allTextContents()).slice(1).filter((cell) => cell !== "0");
    expect(numbers.length, text).toBeGreaterThan(0);
    const points = [...values.matchAll(/\d[\d,]*(?= )/g)].flat();
    expect(points.filter((value) => value !== "0")).toEqual(numbers);
  }).toPass();
  await expectNoAxeFindings(page, "section:has(> * table)");
});

test("a menu opens on the first key press at its first item, and Escape restores the focus; without a connection it says so @long", async ({
  page,
}) => {
  await signInAfresh(page);
  await delegate(page, "Nightly job");
  await page.goto("/delegations");
  const opener = page.getByRole("button", { name: "More for Nightly job" });
  await expect(opener).toHaveAttribute("aria-haspopup", "menu");
  const items = page.getByRole("menuitem");
  for (const key of ["Enter", "ArrowDown", "Space"]) {
    await opener.press(key);
    await expect(items.first()).toBeFocused();
    await expect(opener).toHaveAttribute("aria-expanded", "true");
    await page.keyboard.press("ArrowDown");
    await expect(items.nth(1)).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(items).toHaveCount(0);
    await expect(opener).toBeFocused();
  }
  await opener.click();
  await expectNoAxeFindings(page, "[role=menu]");
  await opener.click();
  await expect(items).toHaveCount(0);
});

test.describe("without a connection", () => {
  // The browser logs the failed fetch.
  test.use({ mustNotComplain: false });

  test("a menu that fails to load says so, and its button still works @long", async ({ page }) => {
    await signInAfresh(page);
    await delegate(page, "Nightly job");
    await page.goto("/delegations");
    const opener = page.getByRole("button", { name: "More for Nightly job" });
    await expect(opener).toHaveAttribute("aria-haspopup", "menu");
    await page.context().setOffline(true);
    await opener.click();
    await expect(page.getByText("This could not be loaded.")).toBeVisible();
    await page.context().setOffline(false);
    await opener.click();
    await expect(page.getByRole("menuitem").first()).toBeVisible();
  });

  test("a part that fails to load says so in its place, and Retry brings it @long", async ({
    page,
  }) => {
    await signInAsDemo(page, "builder");
    const address = "/activity?money=settled";
    const html = await (await page.request.get(address)).text();
    await page.route("**/_next/static/**/*.js", (route) => {
      const isNamed = html.includes(new URL(route.request().url()).pathname);
      return isNamed ? route.continue() : route.abort();
    });
    await page.goto(address);
    const failed = page.getByRole("alert").filter({ hasText: "This part could not be loaded." });
    await expect(failed).toBeVisible();
    await expect(page.getByRole("heading", { name: "Activity", level: 1 })).toBeVisible();
    await page.unroute("**/_next/static/**/*.js");
    await failed.getByRole("button", { name: "Retry" }).click();
    await expect(page.getByRole("button", { name: "Save view" })).toBeVisible();
    await expect(failed).toHaveCount(0);
  });
});
