import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { Payments } from "@turnpike/payments";
import { armFault } from "./support/arm-fault.ts";
import { testAlone } from "./support/own-sandbox.ts";
import { serviceDataDir, serviceUrl } from "./support/service-url.ts";
import { signInAfresh } from "./support/sign-in.ts";
import {
  callAgent,
  type Market,
  makeApiKey,
  openMarket,
  order,
  orders,
  sameAccountElsewhere,
  sandbox,
  watchClipboard,
} from "./support/subscriber.ts";
import { expect, test } from "./support/test.ts";
import { addWithdrawalAddress } from "./support/withdrawal-address.ts";

const UNKNOWN = "We don’t know yet whether this payment went through. Don’t pay again.";
const RUNS = 30;
const WAYS = ["reload", "second tab", "second browser"] as const;
const SETTLES = 20;

let market: Market;

test.beforeAll(async () => {
  market = await openMarket();
});

// The browser logs the connections that these tests break.
test.use({ mustNotComplain: false });

for (const rail of ["crypto", "card"] as const) {
  for (const way of WAYS) {
    test(`an order whose response is lost stays one order: ${rail}, ${way}, ${RUNS} times @long`, async ({
      page,
      browser,
    }) => {
      test.setTimeout(600_000);
      await signInAfresh(page);
      const key = await makeApiKey(page);
      const path = `/checkout/${market[rail]}`;
      for (let run = 1; run <= RUNS; run++) {
        if (rail === "crypto" && run % 10 === 1) await sandbox(key, "POST", "fund", {});
        await page.goto(path);
        const other = await openOther(page, browser, way, path);
        await killAnswer(page, path);
        const back = other ?? page;
        if (other) await other.getByRole("button", { name: /^Pay / }).click();
        else await page.reload();
        await expect(back.getByRole("heading", { name: "100 credits added" })).toBeVisible({
          timeout: 30_000,
        });
        if (other) await (way === "second tab" ? other.close() : other.context().close());
        expect(await orders(key, market[rail]), `after run ${run}`).toHaveLength(run);
      }
      console.log(`killed answers: ${rail}, ${way}: ${RUNS} runs, ${RUNS} orders`);
    });
  }
}

/** A page that was opened before the order. */
async function openOther(
  page: Page,
  browser: Browser,
  way: (typeof WAYS)[number],
  path: string,
): Promise<Page | null> {
  if (way === "reload") return null;
  const other =
    way === "second tab"
      ? await page.context().newPage()
      : await sameAccountElsewhere(browser, page);
  await other.goto(path);
  await expect(other.getByRole("button", { name: /^Pay / })).toBeVisible();
  return other;
}

/** Drops the service's responses to what the page does. */
const killAnswers = (page: Page, path: string) =>
  page.route(`**${path}*`, async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    await route.fetch().catch(() => undefined);
    await route.abort("connectionreset").catch(() => undefined);
  });

/** Pays and drops the service's response. */
async function killAnswer(page: Page, path: string): Promise<void> {
  await killAnswers(page, path);
  await page.getByRole("button", { name: /^Pay / }).click();
  await expect(page.getByText(UNKNOWN)).toBeVisible();
  await expect(page.getByRole("button", { name: /^Pay / })).toHaveCount(0);
  await page.unroute(`**${path}*`);
}

test("a token or a delegation whose response is lost is not said to be missing @long", async ({
  page,
}) => {
  await signInAfresh(page);
  for (const [path, button, list] of [
    [`/tokens/new?plan=${market.crypto}`, "Mint access token", "your tokens"],
    ["/delegations/new", "Create delegation", "your delegations"],
  ] as const) {
    await page.goto(path);
    const pathname = path.replace(/\?.*/, "");
    await killAnswers(page, pathname);
    await page.getByRole("button", { name: button, exact: true }).click();
    const alert = page.getByRole("alert").filter({ hasText: "We don’t know yet" });
    await expect(alert).toContainText("The connection was lost before the service answered.");
    await page.unroute(`**${pathname}*`);
    await alert.getByRole("link", { name: list }).click();
    await expect(page.getByRole("row").nth(1)).toBeVisible();
  }
});

test("a card whose removal is not answered is removed by a second press", async ({ page }) => {
  await signInAfresh(page);
  // In the sandbox a new account has this card.
  await page.goto("/payment-methods");
  await page.getByRole("button", { name: "Remove Visa ending in 4242" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove Visa ending in 4242?" });
  await expect(dialog).toContainText("No delegation charges this card");
  await killAnswers(page, "/payment-methods");
  await dialog.getByRole("button", { name: "Remove card" }).click();
  const alert = dialog.getByRole("alert").filter({ hasText: "We don’t know yet" });
  await expect(alert).toContainText("Remove it again: you can repeat this safely.");
  await page.unroute("**/payment-methods*");
  await dialog.getByRole("button", { name: "Remove card" }).click();
  await expect(page.getByText("No cards yet")).toBeVisible();
});

test("an alert rule whose response is lost is not said to be missing @long", async ({ page }) => {
  await signInAfresh(page);
  await page.goto("/alerts");
  await page.getByRole("button", { name: "New rule" }).click();
  const dialog = page.getByRole("dialog", { name: "New rule" });
  await dialog.getByLabel("Email me").uncheck();
  await dialog.getByLabel("Send to my webhooks").check();
  await killAnswers(page, "/alerts");
  await dialog.getByRole("button", { name: "Save rule" }).click();
  await expect(dialog.getByRole("alert")).toContainText("never added twice");
});

test("a payout schedule whose response is lost speaks of the schedule, not of a payout @long", async ({
  page,
}) => {
  await signInAfresh(page);
  await page.goto("/balance/payouts");
  await page.getByRole("button", { name: "Set up payouts" }).click();
  await page.getByRole("button", { name: "Send the identity document later" }).click();
  await page.waitForURL("**/balance/payouts");
  await killAnswers(page, "/balance/payouts");
  await page.getByRole("combobox", { name: "Schedule" }).click();
  await page.getByRole("option", { name: "Every week" }).click();
  const alert = page.getByRole("alert").filter({ hasText: "We don’t know yet" });
  await expect(alert).toContainText("Choose the schedule again.");
  await expect(alert).not.toContainText("pay out");
});

test("a withdrawal whose response is lost can only be looked up, and is paid once @long", async ({
  page,
}) => {
  await signInAfresh(page);
  await page.goto("/balance");
  await page.getByRole("button", { name: "Add test funds" }).click();
  await expect(page.locator("[data-currency=usdc]")).toContainText("1,000.00");
  const treasury = await addWithdrawalAddress(
    page,
    "Treasury",
    "0x000000000000000000000000000000000000dEaD",
  );
  await treasury.check();
  await page.getByLabel("Amount").fill("250.5");
  await killAnswers(page, "/balance/withdraw");
  await page.getByRole("button", { name: "Withdraw", exact: true }).click();
  await expect(page.getByText("We don’t know yet whether this went through.")).toBeVisible();
  await expect(page.getByText("Nothing was sent yet.")).toHaveCount(0);
  await expect(page.getByLabel("Amount")).toBeDisabled();
  await expect(treasury).toBeDisabled();
  await page.unroute("**/balance/withdraw*");
  await page.getByRole("button", { name: "Check status" }).click();
  await expect(page.getByText("The withdrawal was paid")).toBeVisible();
  await page.getByRole("link", { name: "Show balance" }).click();
  await expect(page.locator("[data-currency=usdc]")).toContainText("749.50");
});

testAlone(
  `a settlement whose responses are lost uses its credits once, ${SETTLES} times @long`,
  async ({ page }) => {
    test.setTimeout(300_000);
    const copied = await watchClipboard(page);
    await signInAfresh(page);
    const key = await makeApiKey(page);
    await order(page, market.crypto, /^Pay /);
    await page.getByRole("link", { name: "Mint access token" }).click();
    await page.getByRole("button", { name: "Mint access token", exact: true }).click();
    await page.getByRole("button", { name: "Copy token", exact: true }).click();
    let lost = 0;
    for (let call = 1; call <= SETTLES; call++) {
      const fault = "settle-reply-lost";
      const { struck, clear } = await armFault(key, { fault, planId: market.crypto, times: 1_000 });
      expect((await callAgent(market, copied.last())).status).toBe(200);
      // The agent retries once on its own, then leaves the settlement to its journal.
      const responses = await struck();
      expect(responses, `call ${call}`).toBeGreaterThanOrEqual(2);
      lost += responses;
      await clear();
    }
    await expect
      .poll(() => creditsLeft(key, market.crypto), { timeout: 60_000 })
      .toBe(BigInt(100 - SETTLES));
    // A settlement that is still in the agent's journal would be sent again.
    await expect.poll(pendingSettlements, { timeout: 60_000 }).toEqual([]);
    expect(await creditsLeft(key, market.crypto)).toBe(BigInt(100 - SETTLES));
    console.log(
      `killed answers: settle: ${SETTLES} runs, ${SETTLES} credits, ${lost} responses lost`,
    );
  },
);

/** The demo agent's journals; each is deleted once every settlement in it is done, and their folder stays. */
const pendingSettlements = (): Promise<string[]> =>
  readdir(join(serviceDataDir() ?? "", "settlements"));

async function creditsLeft(apiKey: string, planId: string): Promise<bigint> {
  const payments = Payments.getInstance({ apiKey, baseUrl: serviceUrl() });
  return (await payments.plans.getPlanBalance(planId)).balance;
}
