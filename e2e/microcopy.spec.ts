/*
 * The table of microcopy: each case is reached through the sandbox, shows its text and its button leads
 * where it says. What another file proves, it proves with the exact text and the way its button leads.
 *
 * | Case                   | Where it is proven                                                            |
 * | ---------------------- | ----------------------------------------------------------------------------- |
 * | invalid_token          | playground-outcomes ("malformed token"), subscriber ("a token is inspected ...")|
 * | expired_token          | playground-outcomes ("expired token")                                         |
 * | insufficient_balance   | playground-outcomes ("token without credits ...", "a free plan ...")          |
 * | invalid_plan           | playground-outcomes ("token of another plan")                                 |
 * | invalid_agent          | playground-outcomes ("token of another endpoint")                             |
 * | not subscribed         | here                                                                          |
 * | 401 from agent         | playground-outcomes ("401 with a token ...")                                  |
 * | agent 5xx              | playground-outcomes ("agent fails ..."), -agents                              |
 * | 2xx, no receipt        | here; without a request id playground-outcomes ("2xx without receipt")        |
 * | settle success:false   | playground-outcomes ("receipt says declined")                                 |
 * | unknown                | playground-outcomes ("connection breaks ..."); of an order: subscriber        |
 * | wallet rejected        | subscriber, order-states, sign-in                                             |
 * | wrong network          | subscriber ("signs a permission ...")                                         |
 * | trial used             | subscriber ("a trial that was used ...")                                      |
 * | receiver invalid       | here                                                                          |
 * | key of another place   | here                                                                          |
 * | card declined          | card-form, subscriber ("a declined card ...")                                 |
 * | delegation ends soon   | here                                                                          |
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Payments } from "@turnpike/payments";
import { type BootedSandbox, bootSandbox } from "./support/boot-sandbox.ts";
import type { Sandbox } from "./support/sandbox-file.ts";
import { serviceUrl } from "./support/service-url.ts";
import { signInAfresh, signInAsDemo } from "./support/sign-in.ts";
import { openMarket } from "./support/subscriber.ts";
import { expect, test } from "./support/test.ts";

const MONEY_TIMEOUT_MS = 45_000;

test("not subscribed: the plan can be ordered from the message", async ({ page }) => {
  const { crypto } = await openMarket();
  await signInAfresh(page);
  await page.goto(`/tokens/new?plan=${crypto}`);
  await expect(page.getByText("You haven’t ordered this plan yet.", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Order plan" }).click();
  await page.waitForURL(`**/checkout/${crypto}`);
  await expect(page.getByRole("button", { name: /^Pay / })).toBeVisible();
});

test("2xx, no receipt: credits may still be used, and the settlement can be checked @long", async ({
  page,
}) => {
  test.setTimeout(90_000);
  await signInAsDemo(page, "subscriber");
  await page.goto("/playground");
  await page.getByRole("tab", { name: "Faults" }).click();
  await page.getByRole("button", { name: /^Settle fails/ }).click();
  const money = page.getByTestId("pg-money");
  await expect(money).toHaveAttribute("data-money", "delivered-unsettled", {
    timeout: MONEY_TIMEOUT_MS,
  });
  await expect(
    money.getByText(
      "You have the response, but payment was not confirmed. Credits may still be charged later.",
      { exact: true },
    ),
  ).toBeVisible();
  await money.getByRole("link", { name: "Check settlement" }).click();
  await page.waitForURL(/\/activity\/req_/);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
});

test("receiver invalid: the field shows the address format, and reads it out once it is left @long", async ({
  page,
}) => {
  await signInAfresh(page);
  await page.goto("/plans/new");
  await page.getByRole("button", { name: "Pay per call", exact: true }).click();
  const words = "That is not an EVM address. It has 42 characters and starts with 0x.";
  const error = page.getByText(words, { exact: true });
  // The focus is elsewhere by then: a live region reads the error out.
  const said = page.locator('[aria-live="polite"]').filter({ has: error });
  const receiver = page.getByLabel("Receiver");
  await receiver.fill("0x12");
  await receiver.blur();
  await expect(said).toHaveCount(1);
  await expect(error).toBeVisible();
  // Typing on reads nothing out: the field has the error as its description.
  await receiver.focus();
  await expect(said).toHaveCount(0);
  await expect(receiver).toHaveAccessibleDescription(new RegExp(words));
});

test("a key of another environment is recognized, with a link to this environment's keys", async ({
  page,
}) => {
  await signInAfresh(page);
  await page.goto("/tokens/inspect");
  await page.getByLabel("Access token").fill("svc-live:e30.e30.e30");
  await expect(
    page.getByText("This is a Live key; you are in Sandbox.", { exact: true }),
  ).toBeVisible();
  await page.getByRole("link", { name: "Use a Sandbox key" }).click();
  await page.waitForURL("**/settings/api-keys");
  await expect(page.getByRole("button", { name: /key/i }).first()).toBeVisible();
});

test("the API recognises a key of another environment and says which one to use", async ({
  request,
}) => {
  const answer = await request.get(`${serviceUrl()}/api/v1/api-keys`, {
    headers: { authorization: "Bearer svc-live:e30.e30.e30" },
  });
  expect(answer.status()).toBe(401);
  expect(await answer.json()).toMatchObject({
    code: "wrong_environment",
    message: "This is a Live key; you are in Sandbox.",
    hint: "Use a Sandbox key.",
  });
});

test.describe("with a separate clock", () => {
  let sandbox: BootedSandbox;

  test.beforeAll(async () => {
    test.setTimeout(180_000);
    sandbox = await bootSandbox();
  });
  test.afterAll(() => sandbox?.stop());

  test("a delegation near the end of its life says what stops, and can be renewed @long", async ({
    browser,
  }) => {
    test.setTimeout(90_000);
    const { subscriber, builder, plans, agent }: Sandbox = JSON.parse(
      await readFile(join(sandbox.dataDir, "sandbox.json"), "utf8"),
    );
    const [buyer, seller] = [subscriber, builder].map(({ apiKey }) =>
      Payments.getInstance({ apiKey, environment: "sandbox", baseUrl: sandbox.url }),
    ) as [Payments, Payments];
    const { agentId: second } = await seller.agents.registerAgent({ name: "Second" }, {}, [
      plans.crypto,
    ]);
    // In thirty days it expires shortly after the next midnight: always tomorrow, and in the last 15 % of its life.
    const daySecs = 86_400;
    const midnight = (Math.floor(Date.now() / 1_000 / daySecs) + 31) * daySecs;
    const { delegationId } = await buyer.delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 2_000n,
      durationSecs: midnight + 60 - Math.floor(Date.now() / 1_000),
      currency: "usd",
      name: "Research bot",
    });
    const moved = await fetch(`${sandbox.url}/api/v1/sandbox/clock`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${subscriber.apiKey}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ seconds: 30 * daySecs }),
    });
    expect(moved.status, await moved.text()).toBe(200);
    for (const agentId of [agent.agentId, second]) {
      await buyer.x402.getX402AccessToken(plans.crypto, agentId, {
        delegationConfig: { delegationId },
      });
    }
    const context = await browser.newContext({ baseURL: sandbox.url });
    const page = await context.newPage();
    await signInAsDemo(page, "subscriber");
    await page.goto("/delegations");
    const alerts = page.getByRole("region", { name: "Alerts" });
    await expect(
      alerts.getByText("“Research bot” expires tomorrow at 00:01 UTC", { exact: true }),
    ).toBeVisible();
    await expect(alerts).toContainText(
      /2 access tokens stop working then: \w+…\w+ \(.+\) and \w+…\w+ \(.+\)\./,
    );
    await alerts.getByRole("link", { name: "Renew" }).first().click();
    await page.waitForURL(`**/delegations/new?from=${delegationId}`);
    await expect(page.getByRole("button", { name: "Create delegation" })).toBeVisible();
    await context.close();
  });
});
