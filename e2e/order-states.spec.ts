import type { Page } from "@playwright/test";
import { getErc20PriceConfig, getFixedCreditsConfig, Payments } from "@turnpike/payments";
import { generatePrivateKey } from "viem/accounts";
import { armFault } from "./support/arm-fault.ts";
import { untilHydrated } from "./support/hydrated.ts";
import { testAlone } from "./support/own-sandbox.ts";
import { serviceUrl } from "./support/service-url.ts";
import { signInAfresh } from "./support/sign-in.ts";
import {
  connect,
  type Market,
  makeApiKey,
  openMarket,
  orders,
  picture,
  signInWithWallet,
  tabTo,
} from "./support/subscriber.ts";
import { expect, expectNoAxeFindings, test } from "./support/test.ts";

test.describe.configure({ timeout: 90_000 });

/** The seller's receiving address, separate from the buyer. */
const RECEIVER = "0x000000000000000000000000000000000000dEaD";

let market: Market;

test.beforeAll(async () => {
  market = await openMarket();
});

const yours = (credits = "100 credits") => ({ name: `${credits} added` });

testAlone(
  "a slow bank is waited for, then reported as slow, without a way to pay again @long",
  async ({ page }) => {
    await signInAfresh(page);
    const key = await makeApiKey(page);
    const slow = await armFault(key, { fault: "card-slow", times: 3, delayMs: 15_000 });
    try {
      await page.goto(`/checkout/${market.card}`);
      await page.getByRole("button", { name: /^Pay / }).click();
      await expect(page.locator("[data-order-state=processing-card]")).toBeVisible();
      await expect(page.getByRole("button", { name: "Waiting for the bank" })).toBeVisible();
      await expect(page.getByText("This is taking longer than usual.")).toBeVisible({
        timeout: 25_000,
      });
      await expect(page.getByText("You can leave this page. The order continues")).toBeVisible();
      await expect(page.getByRole("button", { name: /^Pay / })).toHaveCount(0);
      await expectNoAxeFindings(page);
      await picture(page, "order-slow");
    } finally {
      await slow.clear();
    }
    await expect(page.getByRole("heading", yours())).toBeVisible({ timeout: 45_000 });
    expect(await orders(key, market.card)).toHaveLength(1);
  },
);

testAlone(
  "an order on a stopped chain stays sent, and completes when the chain resumes @long",
  async ({ page }) => {
    await signInAfresh(page);
    const key = await makeApiKey(page);
    await page.goto(`/checkout/${market.crypto}`);
    await expect(page.getByRole("button", { name: /^Pay / })).toBeEnabled();
    // It lasts until the page was seen to wait: on a slow machine a short one is over before the order is sent.
    const cut = await armFault(key, { fault: "chain-unreachable", durationSecs: 120 });
    try {
      await page.getByRole("button", { name: /^Pay / }).click();
      await expect(page.locator("[data-order-state=sent], [data-order-state=slow]")).toBeVisible({
        timeout: 30_000,
      });
      await expect(page.getByRole("button", { name: "Waiting for the block" })).toBeVisible();
      await picture(page, "order-sent");
    } finally {
      await cut.clear();
    }
    await expect(page.getByRole("heading", yours())).toBeVisible({ timeout: 60_000 });
    expect(await orders(key, market.crypto)).toHaveLength(1);
  },
);

/** The plan of these tests has no agent. */
const orderAnyway = (page: Page) =>
  page.getByRole("checkbox", { name: /^I understand that there is nothing to call yet/ }).check();

test("a changed price is shown before payment, with the safe answer first", async ({ page }) => {
  await signInAfresh(page);
  const { planId, raise, change } = await ownPlan(await makeApiKey(page), 1_000_000n);
  await page.goto(`/checkout/${planId}`);
  await expect(page.getByText("No agent accepts this plan yet.")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Pay / })).toHaveCount(0);
  await orderAnyway(page);
  await raise(2_000_000n);
  await page.getByRole("button", { name: "Pay 1.00 USDC" }).click();
  const dialog = page.getByRole("dialog", { name: "The price has changed" });
  await expect(dialog).toContainText(
    "You saw 100 credits for 1.00 USDC. It is now 100 credits for 2.00 USDC. Nothing was charged.",
  );
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expectNoAxeFindings(page);
  await picture(page, "order-price-changed");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("button", { name: "Pay 2.00 USDC" })).toBeVisible();
  await raise(3_000_000n);
  await page.getByRole("button", { name: "Pay 2.00 USDC" }).click();
  await dialog.getByRole("button", { name: "Pay 3.00 USDC" }).click();
  await expect(page.getByRole("heading", yours())).toBeVisible({ timeout: 30_000 });
  // The order stays what was bought.
  await raise(9_000_000n);
  await change({ creditsConfig: getFixedCreditsConfig(10n) });
  await page.reload();
  await expect(page.getByRole("heading", yours())).toBeVisible();
  await expect(page.getByRole("main")).toContainText("3.00 USDC");
  await expect(page.getByRole("main")).not.toContainText("9.00");
  await expect(page.getByRole("link", { name: "View invoice" })).toBeVisible();
});

test("a price that was raised while a wallet signed is shown, signed and paid @long", async ({
  page,
}) => {
  await signInWithWallet(page);
  const key = await makeApiKey(page);
  const { planId, raise } = await ownPlan(key, 1_000_000n);
  await page.goto(`/checkout/${planId}`);
  await orderAnyway(page);
  await page.getByRole("button", { name: "Review and sign" }).click();
  await connect(page);
  await raise(2_000_000n);
  await page.getByRole("button", { name: "Sign and pay 1.00 USDC" }).click();
  const dialog = page.getByRole("dialog", { name: "The price has changed" });
  await dialog.getByRole("button", { name: "Show the new price" }).click();
  await page.getByRole("button", { name: "Review and sign" }).click();
  await connect(page);
  await page.getByRole("button", { name: "Sign and pay 2.00 USDC" }).click();
  await expect(page.getByRole("heading", yours())).toBeVisible({ timeout: 30_000 });
  expect(await orders(key, planId)).toHaveLength(1);
  const payments = Payments.getInstance({ apiKey: key, baseUrl: serviceUrl() });
  const { items } = await payments.delegation.listDelegations();
  expect(items.map(({ status }) => status).toSorted()).toEqual(["Exhausted", "Revoked"]);
});

test("fewer credits at the same price are shown before payment @long", async ({ page }) => {
  await signInAfresh(page);
  const { planId, change } = await ownPlan(await makeApiKey(page), 1_000_000n);
  await page.goto(`/checkout/${planId}`);
  await orderAnyway(page);
  await change({ creditsConfig: getFixedCreditsConfig(10n) });
  await page.getByRole("button", { name: "Pay 1.00 USDC" }).click();
  const dialog = page.getByRole("dialog", { name: "The plan has changed" });
  await expect(dialog).toContainText(
    "You saw 100 credits for 1.00 USDC. It is now 10 credits for 1.00 USDC. Nothing was charged.",
  );
  await dialog.getByRole("button", { name: "Pay 1.00 USDC" }).click();
  await expect(page.getByRole("heading", yours("10 credits"))).toBeVisible({ timeout: 30_000 });
});

test("a delegation that is opened for a card plan charges a card, for that plan only", async ({
  page,
}) => {
  await signInAfresh(page);
  const key = await makeApiKey(page);
  await page.goto(`/delegations/new?plan=${market.card}`);
  await expect(page.getByText(/It covers “.+” only\./)).toBeVisible();
  await page.getByRole("radio", { name: /^Account / }).check();
  await page.getByRole("button", { name: "Create delegation" }).click();
  await expect(page.getByText(/is paid by card\. Change the payment method/)).toBeVisible();
  await page
    .getByRole("radio", { name: /^Visa / })
    .first()
    .check();
  await page.getByRole("button", { name: "Create delegation" }).click();
  await page.waitForURL(/\/delegations\/(?!new)/);
  const payments = Payments.getInstance({ apiKey: key, baseUrl: serviceUrl() });
  const { items } = await payments.delegation.listDelegations();
  const made = items.find(({ planIds }) => planIds.includes(market.card));
  expect(made).toMatchObject({ provider: "card-processor", planIds: [market.card] });
});

test("an account with insufficient funds gets test money with one click, and pays @long", async ({
  page,
}) => {
  await signInAfresh(page);
  const key = await makeApiKey(page);
  const { planId } = await ownPlan(key, 700_000_000n);
  await page.goto(`/checkout/${planId}`);
  await orderAnyway(page);
  await page.getByRole("button", { name: /^Pay / }).click();
  await expect(page.getByRole("heading", yours())).toBeVisible({ timeout: 30_000 });
  await page.goto(`/checkout/${planId}`);
  await orderAnyway(page);
  await expect(page.getByText("You need 700.00 USDC.")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Pay / })).toHaveCount(0);
  await picture(page, "checkout-short");
  await page.getByRole("button", { name: "Get test USDC" }).click();
  await page.getByRole("button", { name: "Pay 700.00 USDC" }).click();
  await expect(page.getByRole("heading", yours())).toBeVisible({ timeout: 30_000 });
  expect(await orders(key, planId)).toHaveLength(2);
});

test("a locked, busy, silent or wrong wallet has its own message and button @long", async ({
  page,
}) => {
  const wallet = await signInWithWallet(page);
  await page.goto(`/checkout/${market.crypto}`);
  await page.getByRole("button", { name: "Review and sign" }).click();
  await connect(page);
  const sign = page.getByRole("button", { name: /^(Sign and pay |Try again)/ });

  wallet.failNext("eth_signTypedData_v4", 4100);
  await sign.click();
  await expect(
    page.getByText("Your wallet is locked. Unlock it and try again. Nothing was sent."),
  ).toBeVisible();
  wallet.failNext("eth_signTypedData_v4", -32002);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(
    page.getByText("Your wallet already shows another request. Answer it first. Nothing was sent."),
  ).toBeVisible();

  wallet.ignoreNext("eth_signTypedData_v4");
  await sign.click();
  await expect(page.getByText("Confirm in your wallet. Nothing is sent yet.")).toBeVisible();
  await page.getByRole("button", { name: "I closed it" }).click({ timeout: 30_000 });
  await expect(
    page.getByText("You closed the request in your wallet. Nothing was sent."),
  ).toBeVisible();

  await wallet.setAccount(generatePrivateKey());
  await expect(page.getByText("Your wallet uses another account.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Use another wallet" })).toBeVisible();
  await expect(sign).toHaveCount(0);
  await expectNoAxeFindings(page);
  await picture(page, "wallet-other-account");
  await page.getByRole("button", { name: "Use another wallet" }).click();
  await expect(page.getByRole("button", { name: "Connect wallet" })).toBeVisible();
  expect(wallet.asked).not.toContain("eth_sendTransaction");
});

test.describe("an account with a passkey and a card, and no wallet", () => {
  test("orders, delegates and revokes by keyboard @long", async ({ page }) => {
    await signInAfresh(page);
    await page.goto(`/checkout/${market.card}`);
    await tabTo(page, page.getByRole("checkbox", { name: /^Let agents order again/ }));
    await page.keyboard.press("Space");
    await tabTo(page, page.getByRole("button", { name: /^Pay / }));
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", yours())).toBeFocused({ timeout: 30_000 });
    await page.goto("/delegations");
    await untilHydrated(page);
    const revoke = page.getByRole("row").getByRole("button", { name: /^Revoke / });
    await tabTo(page, revoke);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("button", { name: "Keep it" })).toBeFocused();
    await page.keyboard.press("Tab");
    await expect(dialog.getByRole("button", { name: "Revoke delegation" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("row", { name: /Revoked/ })).toBeVisible();
  });
});

/** A separate plan at a USDC price that can be changed. */
async function ownPlan(apiKey: string, amount: bigint) {
  const payments = Payments.getInstance({ apiKey, baseUrl: serviceUrl() });
  const [seller] = await sellers();
  const priceOf = (units: bigint) =>
    getErc20PriceConfig(units, seller?.tokenAddress ?? "", RECEIVER);
  const credits = getFixedCreditsConfig(100n, 1n);
  const { planId } = await payments.plans.registerCreditsPlan(
    { name: `Own ${amount}` },
    priceOf(amount),
    credits,
  );
  const change = async (terms: Parameters<typeof payments.plans.updatePlan>[1]) => {
    await payments.plans.updatePlan(planId, terms);
  };
  return { planId, change, raise: (units: bigint) => change({ priceConfig: priceOf(units) }) };
}

/** The stablecoin of the sandbox's plans. */
async function sellers(): Promise<{ tokenAddress: string }[]> {
  const answer = await fetch(`${serviceUrl()}/api/v1/protocol/plans/${market.crypto}`);
  const plan = await answer.json();
  return [plan.registry.price];
}
