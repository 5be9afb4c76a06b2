import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { getFiatPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { clientOf, readSandbox } from "./support/sandbox-file.ts";
import { signInAfresh } from "./support/sign-in.ts";
import { makeApiKey } from "./support/subscriber.ts";
import {
  expect,
  expectNoAxeFindings,
  expectNoSidewaysScroll,
  takePicture,
  test,
} from "./support/test.ts";
import { addWithdrawalAddress } from "./support/withdrawal-address.ts";

const TREASURY = "0x000000000000000000000000000000000000bEEF";

/** Sells a card plan of 5.00 once, as a subscriber's program does. */
async function sellByCard(page: Page): Promise<void> {
  const builder = clientOf({ apiKey: await makeApiKey(page) });
  const { subscriber } = await readSandbox();
  const buyer = clientOf(subscriber);
  const { planId } = await builder.plans.registerCreditsPlan(
    { name: "By card" },
    getFiatPriceConfig(5_000_000n, builder.accountAddress, "USD"),
    getFixedCreditsConfig(10n),
  );
  const card = await buyer.paymentMethods.addPaymentMethod({ testCard: "pm_card_visa" });
  const order = await buyer.plans.orderPlan(planId, {
    providerPaymentMethodId: card.paymentMethodId ?? "",
  });
  expect(order.status).toBe("minted");
}

test("a builder sets up payouts and has the first sale on its way within six clicks", async ({
  page,
}) => {
  await signInAfresh(page);
  await sellByCard(page);
  let clicks = 0;
  const click = async (name: string | RegExp, role: "button" | "link" = "button") => {
    clicks += 1;
    await page.getByRole(role, { name }).first().click();
  };
  await page.goto("/balance");
  const usd = page.locator("[data-currency=usd]");
  await expect(usd).toContainText("Set up payouts to make it available");
  await expect(usd).toContainText("5.00");
  await takePicture(page, "balance-owed");
  await click("Set up payouts", "link");
  await page.waitForURL("**/balance/payouts");
  // Before the setup there is nothing to list: what payouts are, what waits, and one button.
  await expect(page.locator("[data-payout-status=none]")).toContainText("Waiting for you5.00 USD");
  await expect(page.getByRole("main").getByRole("table")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /payout/i })).toHaveCount(1);
  await click("Set up payouts");
  await expect(page.getByRole("heading", { name: "Test onboarding" })).toBeVisible();
  await page.getByRole("button", { name: "Send the identity document later" }).click();
  await page.waitForURL("**/balance/payouts");
  await expect(page.locator("[data-payout-status=restricted]")).toContainText(
    "An identity document",
  );
  await page.getByRole("button", { name: "Continue on Stripe" }).click();
  await page.getByRole("button", { name: "Provide everything", exact: true }).click();
  await page.waitForURL("**/balance/payouts");
  await expect(page.locator("[data-payout-status=active]")).toBeVisible();

  clicks = 0;
  await click("Pay out 5.00 USD");
  await page
    .getByRole("dialog", { name: "Pay out 5.00 USD?" })
    .getByRole("button", { name: "Pay out 5.00 USD" })
    .click();
  await expect(page.getByRole("row").filter({ hasText: "On its way" })).toContainText("5.00 USD");
  expect(clicks).toBeLessThanOrEqual(6);
  await expectNoAxeFindings(page);
  await expectNoSidewaysScroll(page);
  await takePicture(page, "payouts");

  await page.goto("/balance");
  await expect(usd).toContainText("On its way to your bank");
  await expect(page.locator("[data-difference='0']")).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "Sale, By card" })).toContainText(
    "+5.00 USD",
  );
});

test("a month's statement is downloaded as a table and as a document @long", async ({ page }) => {
  await signInAfresh(page);
  await sellByCard(page);
  await page.goto("/balance/statements");
  for (const [format, begins] of [
    ["CSV", /^\uFEFFmonth,/],
    ["PDF", /^%PDF-/],
  ] as const) {
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: new RegExp(`^${format} statement of`) }).click();
    const text = await readFile(await (await downloading).path(), "utf8");
    expect(text).toMatch(begins);
  }
});

test("a payout that the bank sends back says why and is available again @long", async ({
  page,
}) => {
  await signInAfresh(page);
  await sellByCard(page);
  await page.goto("/balance/payouts");
  await page.getByRole("button", { name: "Set up payouts" }).click();
  await page.getByRole("button", { name: /closed bank account/ }).click();
  await page.waitForURL("**/balance/payouts");
  await page.getByRole("button", { name: /^Pay out .+ USD$/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Pay out .+ USD$/ })
    .click();
  await expect(page.getByText("Your bank account is closed.")).toBeVisible();
  await expect(page.getByText(/ USD is back in your balance\./)).toBeVisible();
  await takePicture(page, "payout-failed");
});

test("stablecoin arrives, waits for an address to be usable, and is withdrawn with a receipt @long", async ({
  page,
}) => {
  await signInAfresh(page);
  await page.goto("/balance");
  await page.getByRole("button", { name: "Add test funds" }).click();
  await expect(page.getByRole("row").filter({ hasText: "Test funds" })).toContainText(
    "+1,000.00 USDC",
  );
  await expect(page.locator("[data-difference='0']")).toBeVisible();
  await expectNoAxeFindings(page);
  await takePicture(page, "balance");

  const treasury = await addWithdrawalAddress(page, "Treasury", TREASURY);
  await page.getByRole("button", { name: "Remove Treasury" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove Treasury?" });
  await expect(dialog).toContainText("you can withdraw to it after");
  await expectNoAxeFindings(page);
  await takePicture(page, "remove-address");
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await treasury.check();
  await page.getByLabel("Name").fill("n".repeat(81));
  await page.getByRole("button", { name: "Add address" }).click();
  await expect(page.getByLabel("New address")).toBeFocused();
  await expect(page.getByText("Use at most 80 characters.")).toBeVisible();
  await page.getByLabel("Amount").fill("1000.01");
  await page.getByRole("button", { name: "Withdraw", exact: true }).click();
  await expect(page.getByText("Only 1,000.00 USDC is available.")).toBeVisible();
  await expect(page.getByLabel("Amount")).toBeFocused();
  await page.getByLabel("Amount").fill("250.5");
  await expectNoAxeFindings(page);
  await takePicture(page, "withdraw");
  await page.getByRole("button", { name: "Withdraw", exact: true }).click();
  await expect(page.locator(":focus")).toContainText("The withdrawal was paid");
  await takePicture(page, "withdrawal-receipt");
  await page.getByRole("link", { name: "Show balance" }).click();
  await expect(page.locator("[data-currency=usdc]")).toContainText("749.50");
  await expect(page.locator("[data-difference='0']")).toBeVisible();

  await page.goto("/balance/withdraw");
  await page.getByLabel("Amount").fill("1");
  await page.getByRole("button", { name: "Remove Treasury" }).click();
  await dialog.getByRole("button", { name: "Remove address" }).click();
  // The open dialog hides what is behind it.
  await expect(dialog).toHaveCount(0);
  await expect(treasury).toHaveCount(0);
  await page.getByRole("button", { name: "Withdraw", exact: true }).click();
  await expect(
    page.getByRole("alert").filter({ hasText: "Add an address to withdraw to." }),
  ).toBeVisible();
});
