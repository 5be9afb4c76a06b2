import { waitingOrder } from "./support/loaded-world.ts";
import { clientOf, readSandbox } from "./support/sandbox-file.ts";
import { signInAsDemo } from "./support/sign-in.ts";
import { expect, expectNoAxeFindings, takePicture, test } from "./support/test.ts";

test("a subscriber limits a day, and sees how much of it is used", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  const { subscriber } = await readSandbox();
  const { budgets } = clientOf(subscriber);
  await page.goto("/settings/budgets");
  await page.getByRole("textbox", { name: "Per month (USD/USDC)" }).fill("12x");
  await page.getByRole("button", { name: "Save budgets" }).click();
  await expect(page.getByText("Use digits and one decimal point: 25.00.")).toBeVisible();
  await page.getByRole("textbox", { name: "Per month (USD/USDC)" }).fill("90000.00");
  await page.getByRole("link", { name: "Approvals" }).first().click();
  await expect(page.getByRole("dialog")).toContainText("Leave without saving?");
  await page.getByRole("button", { name: "Stay" }).click();
  await page.getByRole("button", { name: "Save budgets" }).click();
  await expect(page.getByText("of 90,000.00 USD/USDC")).toBeVisible();
  const { limits } = await budgets.getBudgets();
  expect(limits).toMatchObject([{ period: "month", unit: "money", limit: "9000000" }]);
  // What is saved is left without a question.
  await page.getByRole("link", { name: "Approvals" }).first().click();
  await expect(page).toHaveURL(/\/approvals$/);
  await budgets.setBudgets({ limits: [] });
});

test("an open form of budgets keeps a limit that was set elsewhere, and shows it @long", async ({
  page,
}) => {
  await signInAsDemo(page, "subscriber");
  const { subscriber } = await readSandbox();
  const { budgets } = clientOf(subscriber);
  await page.goto("/settings/budgets");
  await page.getByRole("textbox", { name: "Per week (credits)" }).fill("900000");
  await budgets.setBudgets({ limits: [{ period: "month", unit: "money", limit: 9_000_000n }] });
  await page.getByRole("button", { name: "Save budgets" }).click();
  await expect(page.getByText("of 90,000.00 USD/USDC")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Per month (USD/USDC)" })).toHaveValue("90000.00");
  expect((await budgets.getBudgets()).limits).toMatchObject([
    { period: "week", unit: "credits", limit: "900000" },
    { period: "month", unit: "money", limit: "9000000" },
  ]);
  await budgets.setBudgets({ limits: [] });
});

test("a subscriber limits one builder and one agent @long", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  const { subscriber, builder, agent } = await readSandbox();
  const { budgets } = clientOf(subscriber);
  await page.goto("/settings/budgets");
  const add = async (of: string, amount: string) => {
    await page.getByRole("button", { name: "Add limit" }).click();
    await page.getByLabel("Builder address or agent ID").last().fill(of);
    await page.getByLabel("Limit", { exact: true }).last().fill(amount);
  };
  await add("Reader", "40.00");
  await page.getByRole("button", { name: "Save budgets" }).click();
  await expect(page.getByText("Enter an account address")).toBeVisible();
  await page.getByLabel("Builder address or agent ID").fill(builder.address);
  await add(agent.agentId, "500");
  await page.getByRole("combobox", { name: "Currency" }).last().click();
  await page.getByRole("option", { name: "credits" }).click();
  await page.getByRole("combobox", { name: "Period" }).last().click();
  await page.getByRole("option", { name: "Per day" }).click();
  await expectNoAxeFindings(page);
  await takePicture(page, "budgets-of-one");
  await page.getByRole("button", { name: "Save budgets" }).click();
  await expect(page.getByText("of 40.00 USD/USDC")).toBeVisible();
  await expect(page.getByText("of 500 credits")).toBeVisible();
  expect((await budgets.getBudgets()).limits).toMatchObject([
    { period: "week", unit: "money", limit: "4000", builder: builder.address },
    { period: "day", unit: "credits", limit: "500", agentId: agent.agentId },
  ]);
  await page.getByRole("button", { name: "Remove" }).first().click();
  await page.getByRole("button", { name: "Save budgets" }).click();
  await expect(page.getByText("of 40.00 USD/USDC")).toHaveCount(0);
  expect((await budgets.getBudgets()).limits).toHaveLength(1);
  await budgets.setBudgets({ limits: [] });
});

test("a subscriber approves a request that waits, and the order then passes", async ({ page }) => {
  const { subscriber, plans } = await readSandbox();
  const buyer = clientOf(subscriber);
  const { delegationId } = await buyer.delegation.createDelegation({
    provider: "erc4337",
    spendingLimitCents: 100_000n,
    durationSecs: 3_600,
    name: "Asks first",
  });
  const approvalId = await waitingOrder(buyer, plans.crypto, delegationId);
  await signInAsDemo(page, "subscriber");
  await page.goto("/approvals");
  await expect(page.locator(`a[href="/approvals/${approvalId}"]`)).toBeVisible();
  await page.goto(`/approvals/${approvalId}`);
  await page.getByRole("button", { name: /^Approve / }).click();
  await expect(page.getByText("Approved", { exact: true })).toBeVisible();
  // The pressed button is gone: the keyboard goes on from the heading.
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  expect(await buyer.budgets.getApproval(approvalId)).toMatchObject({
    status: "approved",
    decidedBy: "person",
  });
  expect(await buyer.plans.orderPlan(plans.crypto, { delegationId })).toMatchObject({
    success: true,
  });
});
