import { readSandboxFile } from "../../lib/sandbox/sandbox-file.ts";
import { breakableSandbox } from "../support/broken-sandbox.ts";
import { untilHydrated } from "../support/hydrated.ts";
import { wcagFindings } from "../support/look.ts";
import { signInAsDemo } from "../support/sign-in.ts";
import { expect, takePicture, test } from "../support/test.ts";

const ID = "00000000-0000-4000-8000-000000000000";

/** Pages of the dashboard that have nothing to show, and where their button leads. */
const MISSING: [path: string, heading: string, list: string][] = [
  [`/activity/${ID}`, "Request not found", "/activity"],
  ["/agents/404", "Agent not found", "/agents"],
  ["/agents/404/settings", "Agent not found", "/agents"],
  [`/balance/disputes/${ID}`, "Dispute not found", "/balance/disputes"],
  [`/balance/invoices/${ID}`, "Invoice not found", "/balance/statements"],
  [`/balance/orders/${ID}`, "Order not found", "/balance"],
  [`/delegations/${ID}`, "Delegation not found", "/delegations"],
  ["/plans/404", "Plan not found", "/plans"],
  ["/plans/404/new-version", "Plan not found", "/plans"],
  ["/subscriptions/404", "Subscription not found", "/subscriptions"],
  [`/tokens/${ID}`, "Token not found", "/tokens"],
  [`/approvals/${ID}`, "Page not found", "/home"],
];

test("a missing page of the dashboard keeps its frame, names what is missing and leads to the list @long", async ({
  page,
}) => {
  test.setTimeout(120_000);
  await signInAsDemo(page, "builder");
  for (const [path, heading, list] of MISSING) {
    const answer = await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 }), path).toHaveText(heading);
    await untilHydrated(page);
    expect([200, 404], path).toContain(answer?.status());
    await expect(page.getByRole("navigation", { name: "Main" }).first(), path).toBeVisible();
    expect(await page.locator(`main a[href="${list}"]`).count(), path).toBe(1);
    expect(await wcagFindings(page), path).toEqual([]);
  }
  await takePicture(page, "missing-page");
});

test.describe("when no data can be read", () => {
  const sandbox = breakableSandbox();

  test("each error page of the dashboard says what failed, and Retry brings the page @long", async ({
    browser,
  }) => {
    test.setTimeout(300_000);
    const { plans, agent, subscriber } = await readSandboxFile(`${sandbox().dataDir}/sandbox.json`);
    const page = await (await browser.newContext({ baseURL: sandbox().url })).newPage();
    await signInAsDemo(page, "builder");
    const failed = page.getByRole("alert").filter({ hasText: "could not be loaded" });
    for (const [path, what] of [
      ["/plans", "Plans"],
      [`/plans/${plans.crypto}`, "The plan"],
      ["/agents", "Agents"],
      [`/agents/${agent.agentId}`, "The agent"],
      [`/customers/${subscriber.address}`, "The customer"],
      ["/alerts", "Alerts"],
      ["/approvals", "Approvals"],
      ["/balance", "Your balance"],
      ["/balance/disputes", "Disputes"],
      ["/balance/payouts", "Your payouts"],
      ["/balance/refunds", "Refunds"],
      ["/balance/statements", "Your statements"],
      ["/balance/withdraw", "Your addresses"],
      ["/customers", "Customers"],
      ["/delegations", "Delegations"],
      ["/earnings", "Your earnings"],
      ["/settings/budgets", "Budgets"],
      ["/subscriptions", "Subscriptions"],
      ["/tokens", "Tokens"],
    ] as const) {
      await sandbox().breakReads();
      await page.goto(path);
      await expect(failed.first(), path).toContainText(`${what} could not be loaded`);
      await expect(page.getByRole("navigation", { name: "Main" }).first(), path).toBeVisible();
      expect(await wcagFindings(page), path).toEqual([]);
      await sandbox().mendReads();
      await failed.first().getByRole("button", { name: "Retry" }).click();
      await expect(failed, path).toHaveCount(0);
    }
    await page.context().close();
  });
});
