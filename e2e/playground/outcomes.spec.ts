import type { Page } from "@playwright/test";
import {
  createOperations,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
} from "@turnpike/payments";
import { sandbox } from "../../lib/sandbox/operations.ts";
import { asCardOffer, askForPayment, serveAgent, serveGated } from "../support/agent-servers.ts";
import { MONEY_TIMEOUT_MS, OUTCOMES, type Row, TOP_UP } from "../support/outcome-rows.ts";
import { buildWorld, type World } from "../support/outcome-world.ts";
import { payAs } from "../support/playground.ts";
import { clientOf, readSandbox } from "../support/sandbox-file.ts";
import { signInAsDemo } from "../support/sign-in.ts";
import { expect, test } from "../support/test.ts";

const openPlayground = (page: Page, url: string) =>
  page.goto(`/playground?method=POST&url=${encodeURIComponent(url)}`);

async function runRow(page: Page, world: World, row: Row): Promise<void> {
  await openPlayground(page, world.agent.url + row.path);
  await payAs(page, row.token ? "A token" : "Your account");
  if (row.token) {
    const token = await row.token(world);
    await page.getByRole("textbox", { name: "Access token" }).fill(token);
  }
  if (row.delegation) {
    const { id, end } = await row.delegation(world);
    await page.getByRole("combobox", { name: "Delegation" }).click();
    await page.getByRole("option", { name: id }).click();
    await end();
  }
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-money")).toBeVisible({ timeout: MONEY_TIMEOUT_MS });
}

async function expectRow(page: Page, world: World, row: Row): Promise<void> {
  const step = page.getByTestId(`pg-step-${row.step}`);
  const money = page.getByTestId("pg-money");
  await expect(money).toHaveAttribute("data-money", row.money);
  await expect(money).toHaveAttribute("data-reason", row.reason ?? "");
  await expect(step).toHaveAttribute("data-status", row.status);
  await expect(step).toHaveAttribute("data-outcome", row.outcome);
  await expect(step).toHaveAttribute("data-reason", row.reason ?? "");
  await expect(step.locator("p")).toHaveText(row.verdict(world));
  await expect(money.locator("p")).toHaveText(row.summary ?? row.verdict(world));
  for (let before = 1; before < row.step; before += 1) {
    await expect(page.getByTestId(`pg-step-${before}`)).toHaveAttribute("data-status", "ok");
  }
  for (let after = row.step + 1; after <= 6; after += 1) {
    await expect(page.getByTestId(`pg-step-${after}`)).toHaveAttribute("data-status", "skipped");
  }
  const [label, leads] = row.action;
  if (leads instanceof RegExp) {
    const link = money.getByRole("link", { name: label });
    await expect(link).toHaveAttribute("href", leads);
    await link.click();
    await page.waitForURL((url) => leads.test(`${url.pathname}${url.search}`));
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  } else {
    const before = world.agent.seen.length;
    await money.getByRole("button", { name: label }).click();
    await leads(page, world, before);
  }
}

for (const kind of ["crypto", "card"] as const) {
  // Over twenty runs, one after another.
  test(`every outcome of a paid call, on a ${kind} plan @long`, async ({ page }) => {
    test.setTimeout(240_000);
    const world = await buildWorld(kind);
    await signInAsDemo(page, "subscriber");
    for (const row of [...OUTCOMES, TOP_UP]) {
      await test.step(row.name, async () => {
        await runRow(page, world, row);
        await expectRow(page, world, row);
      });
    }
    await world.agent.close();
  });
}

test("a limit below the price stops the run before a token is minted @long", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  await page.goto("/playground");
  await page.getByRole("tab", { name: "Options" }).click();
  await page.getByRole("textbox", { name: /^Maximum credits/ }).fill("0");
  await page.getByTestId("pg-run").click();
  const step = page.getByTestId("pg-step-3");
  await expect(step).toHaveAttribute("data-outcome", "over-cap");
  await expect(step.locator("p")).toHaveText("The call costs 1 credit. Your limit is 0 credits.");
  await expect(page.getByTestId("pg-money")).toHaveAttribute("data-money", "challenged");
});

test("a card plan without a saved card says so, and links to payment methods @long", async ({
  page,
}) => {
  const sandbox = await readSandbox();
  const [seller, buyer] = [clientOf(sandbox.lab.builder), clientOf(sandbox.builder)];
  const price = getFiatPriceConfig(5_000_000n, sandbox.lab.builder.address, "USD");
  const { planId } = await seller.plans.registerCreditsPlan(
    { name: "Bought once by card" },
    price,
    getFixedCreditsConfig(10n, 1n),
    { state: "unlisted" },
  );
  const card = await buyer.paymentMethods.addPaymentMethod({ testCard: "pm_card_visa" });
  await buyer.plans.orderPlan(planId);
  await buyer.paymentMethods.removePaymentMethod(card.paymentMethodId ?? "");
  const agent = await serveAgent((request, response) =>
    askForPayment(request, response, { planId, change: asCardOffer }),
  );
  await signInAsDemo(page, "builder");
  await openPlayground(page, agent.url);
  await payAs(page, "Your account");
  await page.getByTestId("pg-run").click();
  const step = page.getByTestId("pg-step-3");
  await expect(step).toHaveAttribute("data-outcome", "no-card");
  await expect(step.locator("p")).toHaveText(
    "“Bought once by card” is paid by card, and you have no saved card.",
  );
  const link = page.getByTestId("pg-money").getByRole("link", { name: "Add card" });
  await expect(link).toHaveAttribute("href", "/payment-methods");
  await agent.close();
});

test("a used-up free plan links to more credits @long", async ({ page }) => {
  const sandbox = await readSandbox();
  const [seller, buyer] = [clientOf(sandbox.lab.builder), clientOf(sandbox.subscriber)];
  const { planId } = await seller.plans.registerCreditsPlan(
    { name: "One free call" },
    getFreePriceConfig(),
    getFixedCreditsConfig(1n, 1n),
    { state: "unlisted" },
  );
  await buyer.plans.orderPlan(planId);
  const { accessToken } = await buyer.x402.getX402AccessToken(planId);
  const agent = await serveAgent((request, response) =>
    askForPayment(request, response, { planId }),
  );
  const paymentRequired = await seller.x402.buildPaymentRequired({
    planId,
    endpoint: agent.url,
    httpVerb: "POST",
  });
  await seller.facilitator.settlePermissions({ paymentRequired, x402AccessToken: accessToken });
  await signInAsDemo(page, "subscriber");
  await openPlayground(page, agent.url);
  await payAs(page, "Your account");
  await page.getByTestId("pg-run").click();
  const step = page.getByTestId("pg-step-3");
  await expect(step).toHaveAttribute("data-outcome", "no-credits");
  await expect(step.locator("p")).toHaveText(
    "0 credits left on “One free call”. This call needs 1.",
  );
  const link = page.getByTestId("pg-money").getByRole("link", { name: "Buy credits" });
  await expect(link).toHaveAttribute("href", `/checkout/${planId}`);
  await agent.close();
});

test("a service that is busy during the dry run says that it is safe to retry, and a retry settles", async ({
  page,
}) => {
  const { subscriber, lab } = await readSandbox();
  const [seller, buyer] = [clientOf(lab.builder), clientOf(subscriber)];
  // A separate plan: the failure lab arms its faults on the lab's plans.
  const { planId } = await seller.plans.registerCreditsPlan(
    { name: "Verified late" },
    getFreePriceConfig(),
    getFixedCreditsConfig(10n, 1n),
    { state: "unlisted" },
  );
  const agent = await serveGated(seller, { "POST /busy": { planId } }, (_request, response) => {
    response.end("done");
  });
  await createOperations(buyer.connection, sandbox).injectFault({
    fault: "verify-down",
    planId,
    times: 1,
  });
  await signInAsDemo(page, "subscriber");
  await openPlayground(page, `${agent.url}/busy`);
  await page.getByTestId("pg-run").click();
  const money = page.getByTestId("pg-money");
  await expect(money).toHaveAttribute("data-money", "not-charged", { timeout: MONEY_TIMEOUT_MS });
  const step = page.getByTestId("pg-step-4");
  await expect(step).toHaveAttribute("data-outcome", "verify-unavailable");
  await expect(step).toHaveAttribute("data-status", "warn");
  await expect(step).toHaveAttribute("data-reason", "unavailable");
  await expect(step.locator("p")).toHaveText("The service is busy. It is safe to retry.");
  await expect(page.getByTestId("pg-step-5")).toHaveAttribute("data-status", "skipped");
  await money.getByRole("button", { name: "Run again" }).click();
  await expect(money).toHaveAttribute("data-money", "settled", { timeout: MONEY_TIMEOUT_MS });
  await agent.close();
});
