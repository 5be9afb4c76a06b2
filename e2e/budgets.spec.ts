import { waitingOrder } from "./support/loaded-world.ts";
import { clientOf, readSandbox } from "./support/sandbox-file.ts";
import { signInAsDemo } from "./support/sign-in.ts";
import { expect, test } from "./support/test.ts";

test("a subscriber limits a day, and sees how much of it is used", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  const { subscriber } = await readSandbox();
  const { budgets } = clientOf(subscriber);
  await page.goto("/settings/budgets");
  await page.getByRole("textbox", { name: "Per month, money" }).fill("12x");
  await page.getByRole("button", { name: "Save budgets" }).click();
  await expect(page.getByText("Use digits and one decimal point: 25.00.")).toBeVisible();
  await page.getByRole("textbox", { name: "Per month, money" }).fill("90000.00");
  await page.getByRole("button", { name: "Save budgets" }).click();
  await expect(page.getByText("of 90,000.00 USD")).toBeVisible();
  const { limits } = await budgets.getBudgets();
  expect(limits).toMatchObject([{ period: "month", unit: "money", limit: "9000000" }]);
  await budgets.setBudgets({});
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
  expect(await buyer.budgets.getApproval(approvalId)).toMatchObject({
    status: "approved",
    decidedBy: "person",
  });
  expect(await buyer.plans.orderPlan(plans.crypto, { delegationId })).toMatchObject({
    success: true,
  });
});
