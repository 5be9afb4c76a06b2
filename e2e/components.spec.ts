import type { Page } from "@playwright/test";
import { expectGoodLooks } from "./support/look.ts";
import { expect, expectNoAxeFindings, test } from "./support/test.ts";

const PAGE = "/dev/components";

async function open(page: Page): Promise<void> {
  await page.goto(PAGE);
  // The last part to load: only this page uses its library.
  await expect(page.locator("[data-chart] svg").first()).toBeVisible({ timeout: 20_000 });
}

test("no part has axe violations, and nothing scrolls sideways", async ({ page }) => {
  test.slow();
  await open(page);
  await expectGoodLooks(page, [320, 375, 1440], "components");
});

test("a dialog focuses the safe answer, locks scrolling and restores the focus", async ({
  page,
}) => {
  await open(page);
  const opener = page.getByRole("button", { name: "Revoke", exact: true });
  await opener.click();
  await expect(page.getByRole("button", { name: "Keep it" })).toBeFocused();
  expect(await page.evaluate(() => getComputedStyle(document.body).overflow)).toBe("hidden");
  await expectNoAxeFindings(page, "[role=dialog]");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(opener).toBeFocused();
});

test("a confirmed dialog reports its result in a toast that can be dismissed", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke delegation" }).click();
  const message = page.getByText("“CI smoke test” was revoked at 14:10:22");
  // A toast stays while hovered.
  await message.hover();
  await expectNoAxeFindings(page, "section[aria-label=Messages]");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect(message).toHaveCount(0);
});

test("a select opens with arrows, finds by letter and picks with Enter; Escape cancels", async ({
  page,
}) => {
  await open(page);
  const select = page.getByRole("combobox", { name: "Unit of time" });
  await select.press("ArrowDown");
  await expect(page.getByRole("option", { name: "month (30 days)" })).toBeFocused();
  await expectNoAxeFindings(page, "[role=listbox]");
  await page.keyboard.press("w");
  await page.keyboard.press("Enter");
  await expect(select).toHaveText("week");
  await expect(select).toBeFocused();
  await expect(page.getByText("Expires after 7 d.")).toBeVisible();
  await select.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.press("Escape");
  await expect(select).toHaveText("week");
});

test("a field describes its value and its error to assistive technology", async ({ page }) => {
  await open(page);
  const amount = page.getByRole("textbox", { name: "Amount" });
  await amount.fill("0.5");
  await expect(amount).toHaveAccessibleDescription("= 500,000 (6 decimals)");
  await amount.fill("0.0000001");
  await expect(amount).toHaveAttribute("aria-invalid", "true");
  await expect(amount).toHaveAccessibleDescription(/This currency has 6 decimals/);
});

test("arrow keys move through a chart's points, and its table has the same values", async ({
  page,
}) => {
  await open(page);
  const chart = page.locator("#chart").getByRole("slider").first();
  await chart.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(chart).toHaveAttribute(
    "aria-valuetext",
    "21 Nov 13:00 UTC: 94 settled, 32 payment required, 2 unsettled, 4 declined, 1 not charged",
  );
  await page.locator("#chart").getByText("Table", { exact: true }).first().click();
  const row = page.getByRole("row", { name: /^21 Nov 13:00 UTC/ });
  await expect(row.getByRole("cell")).toHaveText(["21 Nov 13:00 UTC", "94", "32", "2", "4", "1"]);
  await expectNoAxeFindings(page, "#chart");
});

test("j and k move through rows, and a row opens next to the table", async ({ page }) => {
  await open(page);
  const rows = page.locator("#table").getByRole("button", { name: /\/v1\// });
  await rows.nth(0).focus();
  await page.keyboard.press("j");
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "POST /v1/ask" })).toBeVisible();
  await expectNoAxeFindings(page, "[role=dialog]");
  await page.getByRole("button", { name: "Next", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "POST /v1/filings" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(rows.nth(1)).toBeFocused();
});

test("arrow keys move through tabs, and the chosen language is remembered", async ({ page }) => {
  await open(page);
  const tabs = page.getByRole("tablist", { name: "Paid call, language" });
  await tabs.getByRole("tab", { name: "TypeScript" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(tabs.getByRole("tab", { name: "Python" })).toBeFocused();
  await expect(page.getByRole("tabpanel", { name: "Python" })).toContainText("max_credits=1");
  await page.reload();
  await expect(tabs.getByRole("tab", { name: "Python" })).toHaveAttribute("aria-selected", "true");
});

test("a menu and the command list open without axe violations and run commands", async ({
  page,
}) => {
  await open(page);
  await page
    .getByRole("button", { name: /^More about/ })
    .first()
    .click();
  await expect(page.getByRole("menuitem", { name: "Write off" })).toBeVisible();
  await expectNoAxeFindings(page, "[role=menu]");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Open commands" }).click();
  await expectNoAxeFindings(page, "[role=dialog]");
  await page.keyboard.type("deleg");
  await page.keyboard.press("Enter");
  await expect(page.getByText("This opens Delegations")).toBeVisible();
});

test("a menu opens on the first key press at its first item, and Escape restores the focus", async ({
  page,
}) => {
  await open(page);
  const opener = page.getByRole("button", { name: "More about req_9Lc4vN1sHy7uZa36" });
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
  const other = page.getByRole("button", { name: "More about req_2FxT8mKq4WbR1Qe71" });
  await other.click();
  await expect(items).toHaveCount(2);
  await other.click();
  await expect(items).toHaveCount(0);
});

test.describe("without a connection", () => {
  // The browser logs the failed fetch.
  test.use({ mustNotComplain: false });

  test("a menu that fails to load says so, and its button still works", async ({ page }) => {
    await open(page);
    const opener = page.getByRole("button", { name: "More about req_9Lc4vN1sHy7uZa36" });
    await page.context().setOffline(true);
    await opener.click();
    await expect(page.getByText("This could not be loaded.")).toBeVisible();
    await page.context().setOffline(false);
    await opener.click();
    await expect(page.getByRole("menuitem")).toHaveCount(2);
  });
});
