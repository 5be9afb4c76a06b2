import type { Locator } from "@playwright/test";
import { shortenIdentifier } from "../components/ui/values/shorten-identifier.ts";
import { armFault } from "./support/arm-fault.ts";
import { testAlone } from "./support/own-sandbox.ts";
import { planOf } from "./support/plan-builder.ts";
import { clientOf, readSandbox } from "./support/sandbox-file.ts";
import { serviceDataDir } from "./support/service-url.ts";
import { signInAfresh } from "./support/sign-in.ts";
import {
  callAgent,
  confirmAtBank,
  connect,
  counter,
  expectNowhere,
  type Market,
  makeApiKey,
  openMarket,
  order,
  orders,
  picture,
  sameAccountElsewhere,
  signInWithWallet,
  watchClipboard,
} from "./support/subscriber.ts";
import { expect, expectNoAxeFindings, test } from "./support/test.ts";

const UNKNOWN = "We don’t know yet whether this payment went through. Don’t pay again.";

// In development, each page compiles on its first request.
test.describe.configure({ timeout: serviceDataDir() ? 120_000 : 400_000 });

let market: Market;

test.beforeAll(async () => {
  market = await openMarket();
});

test.describe("from sign-in to the first settled call", () => {
  for (const rail of ["crypto", "card"] as const) {
    test(`takes at most six clicks and a minute, ${rail}`, async ({ page }) => {
      const copied = await watchClipboard(page);
      await signInAfresh(page);
      const started = Date.now();
      const clicks = counter();
      // The first click is on the plan page, which links here.
      await clicks.visit(page, `/checkout/${market[rail]}`);
      const pay = page.getByRole("button", { name: /^Pay / });
      await expect(pay, "without scrolling").toBeInViewport({ ratio: 1 });
      await clicks.click(pay);
      await clicks.click(page.getByRole("link", { name: "Mint access token" }));
      await clicks.click(page.getByRole("button", { name: "Mint access token", exact: true }));
      await clicks.click(page.getByRole("button", { name: "Copy token", exact: true }));
      const answer = await callAgent(market, copied.last());
      expect(answer.status).toBe(200);
      expect(answer.receipt).toMatchObject({ success: true, creditsRedeemed: "1" });
      expect(clicks.count()).toBeLessThanOrEqual(6);
      expect(Date.now() - started).toBeLessThan(60_000);
      await page.goto(`/subscriptions/${market[rail]}`);
      await expect(page.getByText("99 credits")).toBeVisible();
      await picture(page, `subscription-${rail}`);
    });
  }
});

test("on a phone the other way to pay comes after the order", async ({ page }) => {
  const { plans } = await readSandbox();
  await signInAfresh(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/checkout/${plans.crypto}`);
  const top = async (place: Locator) => (await place.boundingBox())?.y ?? Number.NaN;
  const pay = await top(page.getByRole("button", { name: /^Pay / }));
  expect(await top(page.getByRole("heading", { name: "Two ways to pay" }))).toBeGreaterThan(pay);
});

test("a visitor who orders signs in as who buys, and finds the credits at home", async ({
  page,
}) => {
  await page.goto(`/checkout/${market.trial}`);
  await expect(page.getByText("Sign in to order the plan.")).toBeVisible();
  await signInAfresh(page);
  await order(page, market.trial, "Get credits");
  await page.goto("/home");
  const credits = page.getByRole("region", { name: "Credits left" });
  await expect(credits.getByRole("link", { name: /^Mint access token for/ })).toBeVisible();
  await expect(credits).toContainText(/\d of [\d,]+ credits left/);
  await expect(credits).toContainText("No forecast yet");
});

test("home says what is left of credits and budgets, and what to do next", async ({ page }) => {
  await signInAfresh(page);
  await order(page, market.trial, "Get credits");
  await page.goto("/home");
  const budgets = page.getByRole("region", { name: "Budgets" });
  await expect(budgets).toContainText("No budget is set.");
  const buyer = clientOf({ apiKey: await makeApiKey(page) });
  await buyer.budgets.setBudgets({ limits: [{ period: "week", unit: "credits", limit: 1n }] });
  await callAgent(market, (await buyer.x402.getX402AccessToken(market.trial)).accessToken);
  await page.goto("/home");
  await expect(budgets).toContainText("1 credit of 1 credit");
  const needs = page.getByRole("region", { name: "Needs attention" });
  await expect(needs).toContainText("Budget used up: This week");
  await expect(needs.getByRole("link", { name: /^Edit budgets/ })).toHaveAttribute(
    "href",
    "/settings/budgets",
  );
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await expectNoAxeFindings(page);
  }
  await picture(page, "home-subscriber");
});

test("a token is minted from a subscription in two clicks", async ({ page }) => {
  const copied = await watchClipboard(page);
  await signInAfresh(page);
  await order(page, market.trial, "Get credits");
  await page.goto(`/subscriptions/${market.trial}`);
  const clicks = counter();
  await clicks.click(page.getByRole("link", { name: "Mint access token" }));
  await clicks.click(page.getByRole("button", { name: "Mint access token", exact: true }));
  await expect(page.getByRole("heading", { name: "Your access token" })).toBeFocused();
  expect(clicks.count()).toBe(2);

  for (const name of ["Copy as header", "Copy .env", "Copy cURL", "Copy token"]) {
    await page.getByRole("button", { name, exact: true }).click();
  }
  const [header, env, curl, token = ""] = copied.all();
  expect(header).toBe(`payment-signature: ${token}`);
  expect(env).toBe(`TURNPIKE_ACCESS_TOKEN=${token}`);
  expect(curl).toContain(market.agentUrl);
  expect((await callAgent(market, token)).status).toBe(200);
  // It is masked, stored nowhere, and appears in no URL.
  await expectNowhere(page, token);
  await expect(page.getByRole("link", { name: "Open in playground" })).toHaveAttribute(
    "href",
    new RegExp(`^/playground\\?plan=${market.trial}&agent=`),
  );
  await picture(page, "token-minted");
});

test("plans of one name are told apart where a token is minted @long", async ({ page }) => {
  await signInAfresh(page);
  const planIds = [await planOf(page, "Twin"), await planOf(page, "Twin")];
  const buyer = clientOf({ apiKey: await makeApiKey(page) });
  for (const planId of planIds) await buyer.plans.orderPlan(planId);
  await page.goto("/tokens/new");
  for (const planId of planIds) {
    const name = `Twin (${shortenIdentifier(planId)})`;
    await expect(page.getByRole("link", { name })).toHaveAttribute(
      "href",
      `/tokens/new?plan=${planId}`,
    );
  }
});

test("the playground asks to copy a new token first, and pays with it @long", async ({ page }) => {
  await signInAfresh(page);
  await order(page, market.trial, "Get credits");
  await page.goto(`/tokens/new?plan=${market.trial}`);
  await page.getByRole("button", { name: "Mint access token", exact: true }).click();
  await page.getByRole("link", { name: "Open in playground" }).click();
  await expect(page.getByRole("dialog")).toContainText("Leave without copying the token?");
  await page.getByRole("button", { name: "Leave" }).click();
  await page.waitForURL("**/playground?**");
  expect(page.url()).not.toContain("svc");
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-money")).toHaveAttribute("data-money", "settled", {
    timeout: 30_000,
  });
  await page.getByRole("tab", { name: "Payer" }).click();
  await expect(page.getByText("The token you just minted.")).toBeVisible();
  await page.goto("/tokens");
  await expect(page.getByRole("row").filter({ hasText: "Active" })).toHaveCount(1);
  // A new page does not have it.
  await page.goto(`/playground?plan=${market.trial}`);
  await page.getByRole("tab", { name: "Payer" }).click();
  await expect(page.getByRole("combobox", { name: "Pay as" })).toHaveText("Test customer");
});

test("leaving without copying the token asks once @long", async ({ page }) => {
  await page.addInitScript(() => {
    const writeText = () => Promise.reject(new Error("Blocked."));
    Object.defineProperty(navigator, "clipboard", { value: { writeText } });
  });
  await signInAfresh(page);
  await page.goto(`/tokens/new?plan=${market.trial}`);
  await page.getByRole("button", { name: "Mint access token", exact: true }).click();
  const asks = page.getByRole("dialog").filter({ hasText: "Leave without copying the token?" });
  const heading = page.getByRole("heading", { name: "Your access token" });
  await expect(heading).toBeFocused();
  // The browser blocks copying: nothing is copied.
  await page.getByRole("button", { name: "Copy token", exact: true }).click();
  await expect(page.getByRole("textbox", { name: "Copy token: text" })).toBeVisible();
  await heading.focus();
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await expect(asks).toBeVisible();
  await page.getByRole("button", { name: "Stay" }).click();
  await expect(heading).toBeFocused();
  await page.getByRole("link", { name: "All tokens" }).click();
  await expect(asks).toBeVisible();
  await page.getByRole("button", { name: "Leave" }).click();
  await page.waitForURL("**/tokens");
});

test("revoking a delegation takes two clicks, and the next call is declined", async ({ page }) => {
  const copied = await watchClipboard(page);
  await signInAfresh(page);
  await order(page, market.crypto, /^Pay /);
  await page.goto("/delegations/new");
  await page.getByLabel("Name").fill("Research bot");
  await page.getByRole("button", { name: "5.00", exact: true }).click();
  await expect(
    page.getByText("“Research bot” can charge your account up to 5.00 USDC in total"),
  ).toBeVisible();
  await page.getByRole("button", { name: "Create delegation" }).click();
  await expect(page.getByRole("heading", { name: "Research bot", level: 1 })).toBeFocused();
  const revokedId = new URL(page.url()).pathname.split("/").at(-1);
  await page.getByRole("link", { name: "Mint access token" }).click();
  await expect(page.getByRole("radio", { name: /Use “Research bot”/ })).toBeChecked();
  await page.getByRole("button", { name: "Mint access token", exact: true }).click();
  await page.getByRole("button", { name: "Copy token", exact: true }).click();
  const token = copied.last();
  expect((await callAgent(market, token)).status).toBe(200);

  await page.goto("/delegations");
  await page.getByRole("button", { name: "Revoke Research bot" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("1 access token stops working")).toBeVisible();
  await expect(dialog.getByText("Calls to 1 agent stop")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Keep it" })).toBeFocused();
  await expectNoAxeFindings(page);
  await picture(page, "delegation-revoke");
  const revoked = page.waitForResponse((response) => response.request().method() === "POST");
  await dialog.getByRole("button", { name: "Revoke delegation" }).click();
  await revoked;
  const confirmed = Date.now();
  const answer = await callAgent(market, token);
  expect(Date.now() - confirmed).toBeLessThan(2_000);
  expect(answer.status).toBe(402);
  expect(answer.body).toMatchObject({ code: "invalid_token" });
  await expect(page.getByRole("row", { name: /Research bot/ })).toContainText("Revoked");
  await expect(page.getByRole("row", { name: /Research bot/ })).toContainText("Revoked today");
  // Nothing is left of it, in the list and on its page.
  const meter = page.getByRole("meter", { name: "Research bot: spent" });
  const says = "0.00 USDC spent of 5.00 USDC";
  await expect(meter).toHaveAttribute("aria-valuetext", says);
  const row = page.getByRole("row", { name: /Research bot/ });
  await expect(row).toContainText("0.00 of 5.00 USDC spent");
  await expect(row).not.toContainText("left");
  await page.goto(`/delegations/${revokedId}`);
  await expect(meter).toHaveAttribute("aria-valuetext", says);
  await expect(page.getByText(/for any plan\. Revoked .* UTC\.$/)).toBeVisible();
  await expect(page.getByRole("main")).not.toContainText(/\bleft\b/i);
  // Nor of its token, which was revoked with it.
  await page.goto("/tokens");
  await expect(row).not.toContainText(" of ");
  await row.getByRole("link").first().click();
  const main = page.getByRole("main");
  await expect(main.getByRole("term")).toContainText(["Revoked", "Calls paid", "Spent on orders"]);
  await expect(main).not.toContainText(/\bleft\b/i);
});

test("a delegation’s row lists charges that add up, and removing a card names what it ends @long", async ({
  page,
}) => {
  await signInAfresh(page);
  await page.goto(`/checkout/${market.card}`);
  await page.getByLabel("Let agents order again when credits run out").check();
  await page.getByLabel("Limit").fill("1");
  await page.getByRole("button", { name: /^Pay / }).click();
  await expect(page.getByText("This is less than one order costs.")).toBeVisible();
  await expect(page.getByLabel("Limit")).toBeFocused();
  await page.getByLabel("Limit").fill("20.00");
  await expect(
    page.getByText(/can charge your Visa ending in 4242 up to 20.00 USD/).first(),
  ).toBeVisible();
  await picture(page, "checkout-card");
  await page.getByRole("button", { name: /^Pay / }).click();
  await expect(page.getByRole("heading", { name: "100 credits added" })).toBeVisible();

  await page.goto("/delegations");
  await page
    .getByRole("button", { name: /^Delegation \S+…/ })
    .first()
    .click();
  const paid = page.getByRole("table", { name: "Orders paid" });
  await expect(paid).toContainText("Starter by card, 100 credits");
  await expect(paid).toContainText("Spent 5.00 USD of 20.00 USD");
  await expectNoAxeFindings(page);
  await picture(page, "delegations-open");

  await page.goto("/payment-methods");
  await page.getByRole("button", { name: "Remove Visa ending in 4242" }).click();
  await expect(page.getByRole("dialog")).toContainText("1 delegation is revoked");
  await page.getByRole("button", { name: "Remove card" }).click();
  await expect(page.getByText("No cards yet")).toBeVisible();
});

test.describe("outcomes of an order", () => {
  test("a declined card says so, charges nothing, and another card can pay", async ({ page }) => {
    await signInAfresh(page);
    await page.goto(`/checkout/${market.card}`);
    await page.getByRole("radio", { name: "New card" }).check();
    await expectNoAxeFindings(page);
    await page.getByRole("button", { name: "4000 0000 0000 0002", exact: true }).click();
    await page.getByRole("button", { name: "Save card" }).click();
    await expect(page.getByRole("alert").first()).toContainText("Your bank declined this card.");
    await page.getByRole("button", { name: "4000 0000 0000 0341", exact: true }).click();
    await page.getByRole("button", { name: "Save card" }).click();
    await page.getByRole("button", { name: /^Pay / }).click();
    await expect(page.getByRole("heading", { name: "Payment failed" })).toBeVisible();
    await expect(page.getByRole("alert").first()).toContainText("You were not charged.");
    await page.reload();
    await expect(page.getByRole("heading", { name: "Payment failed" })).toBeVisible();
    await picture(page, "order-failed");
    await page.getByRole("link", { name: "Use another card" }).click();
    await expect(page.getByRole("radio", { name: /Visa ending in 4242/ })).toBeChecked();
  });

  test("waits for the bank's confirmation, without a way to pay again @long", async ({
    page,
    context,
  }) => {
    await signInAfresh(page);
    await page.goto(`/checkout/${market.card}`);
    await page.getByRole("radio", { name: "New card" }).check();
    await page.getByRole("button", { name: "4000 0027 6000 3184", exact: true }).click();
    await page.getByRole("button", { name: "Save card" }).click();
    await confirmAtBank(page);
    await page.getByRole("button", { name: "I have confirmed" }).click();
    await page.getByRole("button", { name: /^Pay / }).click();
    await expect(page.getByText("Your bank asks you to confirm this payment.")).toBeVisible();
    await picture(page, "order-needs-confirmation");
    const second = await context.newPage();
    await second.goto(`/checkout/${market.card}`);
    await expect(second).toHaveURL(page.url());
    await expect(second.getByRole("button", { name: /^Pay / })).toHaveCount(0);
    await confirmAtBank(page);
    await expect(page.getByRole("heading", { name: "100 credits added" })).toBeVisible({
      timeout: 30_000,
    });
  });

  testAlone(
    "an unknown outcome cannot be paid again: after a reload, in a second tab, in a second browser @long",
    async ({ page, context, browser }) => {
      await signInAfresh(page);
      const key = await makeApiKey(page);
      const lost = await armFault(key, {
        fault: "card-request-lost",
        times: 500,
        durationSecs: 60,
      });
      try {
        await page.goto(`/checkout/${market.card}`);
        await page.getByRole("button", { name: /^Pay / }).click();
        await page.waitForURL(/\/checkout\/\d+\/.+/);
        await expect(page.getByText(UNKNOWN)).toBeVisible({ timeout: 45_000 });
        const second = await context.newPage();
        const third = await sameAccountElsewhere(browser, page);
        for (const each of [page, second, third]) {
          await each.goto(`/checkout/${market.card}`);
          await expect(each.getByText(UNKNOWN)).toBeVisible();
          await expect(each.getByRole("button", { name: "Check status" })).toBeVisible();
          await expect(each.getByRole("button", { name: /^Pay / })).toHaveCount(0);
        }
        await expectNoAxeFindings(page);
        await picture(page, "order-unknown");
        await third.context().close();
      } finally {
        await lost.clear();
      }
      await expect(page.getByRole("heading", { name: "100 credits added" })).toBeVisible({
        timeout: 60_000,
      });
      expect(await orders(key, market.card)).toHaveLength(1);
    },
  );

  test("a double click makes one order @long", async ({ page }) => {
    await signInAfresh(page);
    const key = await makeApiKey(page);
    await page.goto(`/checkout/${market.crypto}`);
    await page.getByRole("button", { name: /^Pay / }).dblclick();
    await expect(page.getByRole("heading", { name: "100 credits added" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "100 credits added" })).toBeFocused();
    await picture(page, "order-confirmed");
    expect(await orders(key, market.crypto)).toHaveLength(1);
  });

  test("a used trial says when, and links to other plans @long", async ({ page }) => {
    await signInAfresh(page);
    await order(page, market.trial, "Get credits");
    await page.goto(`/checkout/${market.trial}`);
    await expect(
      page.getByText(/^Trial plans can be ordered once\. You ordered this on \d+ \w+ \d{4}\.$/),
    ).toBeVisible();
    await expect(page.getByRole("button", { name: "Get credits" })).toHaveCount(0);
    await expect(page.getByRole("heading", { name: "Other plans" })).toBeVisible();
    await picture(page, "trial-used");
  });
});

test.describe("a lost response", () => {
  // The browser logs the connection that the test breaks.
  test.use({ mustNotComplain: false });

  test("a lost response is one order, however the user comes back @long", async ({
    page,
    context,
  }) => {
    await signInAfresh(page);
    const key = await makeApiKey(page);
    await page.goto(`/checkout/${market.crypto}`);
    // A second tab was open before the order.
    const second = await context.newPage();
    await second.goto(`/checkout/${market.crypto}`);
    await page.route(`**/checkout/${market.crypto}*`, async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      await route.fetch().catch(() => undefined);
      await route.abort("connectionreset").catch(() => undefined);
    });
    await page.getByRole("button", { name: /^Pay / }).click();
    await expect(page.getByText(UNKNOWN)).toBeVisible();
    await expect(page.getByRole("button", { name: /^Pay / })).toHaveCount(0);
    await page.unroute(`**/checkout/${market.crypto}*`);
    await page.reload();
    await expect(page.getByRole("heading", { name: "100 credits added" })).toBeVisible();
    await second.getByRole("button", { name: /^Pay / }).click();
    await expect(second.getByRole("heading", { name: "100 credits added" })).toBeVisible();
    expect(second.url()).toBe(page.url());
    expect(await orders(key, market.crypto)).toHaveLength(1);
  });
});

test.describe("an account with the user’s own wallet", () => {
  test("explains a permission before it is signed, then orders, mints and calls under it", async ({
    page,
  }) => {
    const copied = await watchClipboard(page);
    const wallet = await signInWithWallet(page);
    await page.goto(`/checkout/${market.crypto}`);
    await page.getByRole("button", { name: "Review and sign" }).click();
    await expect(
      page.getByText("Turnpike may order this plan from your account for up to"),
    ).toBeVisible();
    await expectNoAxeFindings(page);
    await picture(page, "checkout-wallet");
    await connect(page);

    wallet.rejectNext("eth_signTypedData_v4");
    await page.getByRole("button", { name: /^Sign and pay / }).click();
    await expect(
      page.getByText("You closed the request in your wallet. Nothing was sent."),
    ).toBeVisible();
    await wallet.setChain(1);
    await expect(
      page.getByText("Your wallet is on Ethereum. This plan uses Base Sepolia."),
    ).toBeVisible();
    await page.getByRole("button", { name: "Switch network" }).click();
    const sign = page.getByRole("button", { name: /^(Sign and pay |Try again)/ });
    await expect(sign).toBeFocused();
    await sign.click();
    await expect(page.getByRole("heading", { name: "100 credits added" })).toBeVisible();

    await page.getByRole("link", { name: "Mint access token" }).click();
    await page.getByRole("radio", { name: /^New: / }).check();
    await page.getByRole("button", { name: "Review and sign" }).click();
    await connect(page);
    await page.getByRole("button", { name: "Sign and mint" }).click();
    await page.getByRole("button", { name: "Copy token", exact: true }).click();
    expect((await callAgent(market, copied.last())).status).toBe(200);
    expect(wallet.asked).not.toContain("eth_sendTransaction");
  });

  test("a wallet that answers after its page was left mints nothing @long", async ({ page }) => {
    const wallet = await signInWithWallet(page);
    const { delegation, tokens } = clientOf({ apiKey: await makeApiKey(page) });
    await page.goto(`/tokens/new?plan=${market.crypto}`);
    await page.getByRole("radio", { name: /^New: / }).check();
    await page.getByRole("button", { name: "Review and sign" }).click();
    await connect(page);
    const approve = wallet.holdNext("eth_signTypedData_v4");
    await page.getByRole("button", { name: "Sign and mint" }).click();
    await expect(page.getByText("Confirm in your wallet. Nothing is sent yet.")).toBeVisible();
    const menu = page.getByRole("navigation", { name: "Main" });
    await menu.getByRole("link", { name: "Delegations", exact: true }).click();
    await page.waitForURL("**/delegations");
    approve();
    const statuses = async () =>
      (await delegation.listDelegations({})).items.map(({ status }) => status);
    await expect.poll(statuses).toEqual(["Revoked"]);
    await expect(page).toHaveURL(/\/delegations$/);
    expect((await tokens.listTokens()).total).toBe(0);
  });

  test("an unsigned delegation spends nothing and can be signed later @long", async ({ page }) => {
    await signInWithWallet(page);
    await page.goto("/delegations/new");
    await page.getByLabel("Name").fill("Later");
    await page.getByRole("button", { name: "Create delegation" }).click();
    await expect(page.getByRole("heading", { name: "What your wallet signs" })).toBeVisible();
    await page.goto("/delegations");
    await expect(page.getByRole("row", { name: /Later/ })).toContainText("Not signed");
    await page.getByRole("link", { name: "Sign Later" }).click();
    await page.getByRole("button", { name: "Review and sign" }).click();
    await connect(page);
    await page.getByRole("button", { name: "Sign delegation" }).click();
    await expect(page.getByText("This delegation needs your wallet’s signature.")).toHaveCount(0);
    await expect(page.getByText("Active", { exact: true }).first()).toBeVisible();
  });
});

test("the limits a wallet is asked to sign can’t be changed, and canceling leaves no delegation @long", async ({
  page,
}) => {
  await signInWithWallet(page);
  await page.goto("/delegations/new");
  await page.getByLabel("Name").fill("Dropped");
  await page.getByRole("button", { name: "Create delegation" }).click();
  await expect(page.getByRole("heading", { name: "What your wallet signs" })).toBeFocused();
  await expect(page.getByLabel("Limit")).toBeDisabled();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByLabel("Limit")).toBeEnabled();
  await page.goto("/delegations");
  await expect(
    page.getByRole("row", { name: /Dropped/ }).filter({ hasText: "Not signed" }),
  ).toHaveCount(0);
});

test("a token is inspected in the browser only", async ({ page }) => {
  const copied = await watchClipboard(page);
  await signInAfresh(page);
  await page.goto(`/tokens/new?plan=${market.trial}`);
  await page.getByRole("button", { name: "Mint access token", exact: true }).click();
  await page.getByRole("button", { name: "Copy token", exact: true }).click();
  const token = copied.last();
  await page.goto("/tokens/inspect");
  const sent: string[] = [];
  page.on("request", (each) => sent.push(`${each.url()} ${each.postData() ?? ""}`));
  await page.getByLabel("Access token").fill("nonsense");
  await expect(page.getByText("This access token cannot be read.")).toBeVisible();
  await page.getByLabel("Access token").fill(token);
  await expect(page.getByRole("row", { name: /payload\.authorization\.planId/ })).toContainText(
    market.trial,
  );
  await expect(page.getByText("Signature not checked here")).toBeVisible();
  await expectNoAxeFindings(page);
  await picture(page, "token-inspect");
  expect(sent.join("\n")).not.toContain(token.slice(20, 60));
  await expectNowhere(page, token, { mayBeTyped: true });
});
