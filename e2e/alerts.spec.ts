import type { Payments } from "@turnpike/payments";
import {
  buildPaymentRequired,
  getFixedCreditsConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import { clientOf, readSandbox } from "./support/sandbox-file.ts";
import { signInAfresh } from "./support/sign-in.ts";
import { makeApiKey } from "./support/subscriber.ts";
import { expect, test } from "./support/test.ts";

const URL_OF_AGENT = "https://agent.example/ask";

/** Credits that the account bought of itself, and a call that takes some of them. */
async function buyCredits({ plans, agents, x402, facilitator }: Payments, credits: bigint) {
  const { planId } = await plans.registerCreditsPlan(
    { name: "Tariff lookup" },
    getFreePriceConfig(),
    getFixedCreditsConfig(credits),
  );
  const endpoints = [{ POST: URL_OF_AGENT }];
  const { agentId } = await agents.registerAgent({ name: "Tariffs" }, { endpoints }, [planId]);
  await plans.orderPlan(planId);
  const { accessToken: x402AccessToken } = await x402.getX402AccessToken(planId, agentId);
  const paymentRequired = buildPaymentRequired({
    planId,
    agentId,
    endpoint: URL_OF_AGENT,
    httpVerb: "POST",
  });
  return async function pay(): Promise<void> {
    await facilitator.settlePermissions({
      x402AccessToken,
      paymentRequired,
      agentRequestId: crypto.randomUUID(),
    });
  };
}

test("a person asks for a mail below 20 credits, crosses the line and reads it, in at most four clicks each", async ({
  page,
}) => {
  await signInAfresh(page);
  const client = clientOf({ apiKey: await makeApiKey(page) });
  const pay = await buyCredits(client, 21n);
  const address = `${crypto.randomUUID()}@mail.example`;

  // Set the rule: three clicks from home.
  await page.goto("/home");
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "Alerts" })
    .click();
  await expect(page.getByText("No open alerts")).toBeVisible();
  await page.getByRole("button", { name: "New rule" }).click();
  const dialog = page.getByRole("dialog", { name: "New rule" });
  // A mail about mail that is refused is not offered.
  await dialog.getByLabel("Tell me when").click();
  await page.getByRole("option", { name: "Your mail server rejects our email" }).click();
  await expect(dialog.getByLabel("Email me")).toHaveCount(0);
  await dialog.getByLabel("Tell me when").click();
  await page.getByRole("option", { name: "Credits fall below" }).click();
  await dialog.getByLabel("Threshold, credits").fill("none");
  await dialog.getByRole("button", { name: "Save rule" }).click();
  await expect(dialog.getByLabel("Threshold, credits")).toBeFocused();
  await dialog.getByLabel("Threshold, credits").fill("20");
  await dialog.getByLabel("Email address").fill(address);
  await dialog.getByRole("button", { name: "Save rule" }).click();
  await expect(page.getByText("Not confirmed")).toBeVisible();
  const unheard = page.getByText("1 rule has no email address");
  await expect(unheard).toBeVisible();

  // Confirm the address: the mailbox, the link, the button.
  const { mailbox } = await readSandbox();
  const mails = async () => {
    const answer = await fetch(`${mailbox.url}?to=${encodeURIComponent(address)}`);
    return (await answer.json()).items as { subject: string; text: string }[];
  };
  await expect.poll(async () => (await mails()).length).toBe(1);
  await page.getByRole("link", { name: "Mailbox" }).click();
  await page.getByRole("link", { name: /\/alerts\/confirm#/ }).click();
  await page.getByRole("button", { name: "Confirm address" }).click();
  await expect(page.getByText("Confirmed", { exact: true })).toBeVisible();
  await expect(unheard).toHaveCount(0);

  // Cross it, and read the mail: one click.
  await pay();
  await pay();
  await expect
    .poll(async () => (await mails()).map(({ subject }) => subject))
    .toEqual(["Tariff lookup fell to 19 credits", "Confirm your email address"]);
  await pay();
  await page.getByRole("link", { name: "Mailbox" }).click();
  await expect(
    page.getByRole("heading", { name: "Tariff lookup fell to 19 credits" }),
  ).toBeVisible();
  await page.goBack();
  await page.reload();
  await expect(page.locator("[data-alert=open]")).toContainText("Tariff lookup fell to 19 credits");
  expect((await client.alerts.listAlerts({ status: "open" })).items).toMatchObject([
    { kind: "credits-below", value: "19", email: "sent" },
  ]);
  expect(await mails()).toHaveLength(2);
});

test("a threshold that was changed elsewhere is shown by a refreshed page, and stays @long", async ({
  page,
}) => {
  await signInAfresh(page);
  const { alerts, agents } = clientOf({ apiKey: await makeApiKey(page) });
  const endpoints = [{ POST: URL_OF_AGENT }];
  const { agentId } = await agents.registerAgent({ name: "Tariffs" }, { endpoints }, []);
  const rule = { kind: "unsettled", object: agentId, threshold: 20 } as const;
  const { ruleId } = await alerts.createAlertRule({ ...rule, channels: [] });
  await page.goto("/alerts");
  // Built-in rules can't be removed.
  const row = page
    .getByRole("row")
    .filter({ has: page.getByRole("button", { name: /^Remove rule/ }) });
  const threshold = row.getByRole("textbox");
  await expect(threshold).toHaveValue("20");
  await alerts.updateAlertRule({ ruleId, threshold: 50 });
  await row.getByRole("switch", { name: /^Webhook/ }).click();
  await expect(threshold).toHaveValue("50");
  await threshold.focus();
  await threshold.blur();
  await page.reload();
  await expect(threshold).toHaveValue("50");
});

test("a rule that was removed comes back by Undo, and an address by another link", async ({
  page,
}) => {
  await signInAfresh(page);
  const { alerts } = clientOf({ apiKey: await makeApiKey(page) });
  const rule = { kind: "unsettled", threshold: 77, channels: ["webhook"], isOn: false } as const;
  await alerts.createAlertRule({ ...rule, channels: ["webhook"] });
  await page.goto("/alerts");
  await page.getByRole("button", { name: /^Remove rule/ }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Rule restored", { exact: true })).toBeVisible();
  expect((await alerts.listAlertRules({})).items).toContainEqual(expect.objectContaining(rule));
  const address = `undo-${Date.now()}@mail.example`;
  await page.getByLabel("Email address").fill(address);
  await page.getByRole("button", { name: "Send link" }).click();
  await page.getByRole("button", { name: "Remove address" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText(`Open the link that we sent to ${address}.`)).toBeVisible();
});

test.describe("an answer that is lost", () => {
  // The browser reports the request that the test aborts.
  test.use({ mustNotComplain: false });

  test("is not told as a change that did nothing, and the field shows what is saved", async ({
    page,
  }) => {
    await signInAfresh(page);
    const { alerts } = clientOf({ apiKey: await makeApiKey(page) });
    await alerts.createAlertRule({ kind: "unsettled", threshold: 10, channels: [] });
    await page.goto("/alerts");
    const row = page
      .getByRole("row")
      .filter({ has: page.getByRole("button", { name: /^Remove rule/ }) });
    await page.route("**/alerts", (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    );
    await row.getByRole("textbox").fill("77");
    await row.getByRole("textbox").blur();
    const notice = page
      .getByRole("alert")
      .filter({ hasText: "We don’t know yet whether this went through." });
    await expect(notice).toContainText("Reload the page to see whether it did.");
    await expect(page.getByText("The rule was not changed.")).toHaveCount(0);
    await expect(row.getByRole("textbox")).toHaveValue("10");
  });
});
