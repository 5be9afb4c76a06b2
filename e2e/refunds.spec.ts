import { clientOf, readSandbox } from "./support/sandbox-file.ts";
import { signInAsDemo } from "./support/sign-in.ts";
import { expect, test } from "./support/test.ts";

test("a subscriber asks for a refund in two clicks, and the builder refunds half", async ({
  browser,
}) => {
  const { subscriber, builder, plans } = await readSandbox();
  const buyer = clientOf(subscriber);
  const { paymentMethodId } = await buyer.paymentMethods.addPaymentMethod({
    testCard: "pm_card_visa",
  });
  const { orderId } = await buyer.plans.orderPlan(plans.card, {
    providerPaymentMethodId: paymentMethodId,
  });
  const page = await (await browser.newContext()).newPage();
  await signInAsDemo(page, "subscriber");
  await page.goto(`/checkout/${plans.card}/${orderId}`);
  await page.getByRole("button", { name: "Request refund" }).click();
  await page.getByRole("button", { name: "Send request" }).click();
  await expect(page.getByText("Refund requested:")).toBeVisible();
  await expect(page.getByRole("button", { name: "Request refund" })).toHaveCount(0);

  const seller = await (await browser.newContext()).newPage();
  await signInAsDemo(seller, "builder");
  await seller.goto("/balance/refunds?show=requested");
  await seller
    .getByRole("button", { name: /^Review the request/ })
    .first()
    .click();
  const dialog = seller.getByRole("dialog");
  const { money } = clientOf(builder);
  const { paid } = await money.getRefundable(orderId);
  const half = BigInt(paid) / 2n;
  await dialog
    .getByLabel("Amount")
    .fill(`${half / 1_000_000n}.${String(half % 1_000_000n).padStart(6, "0")}`);
  await dialog.getByRole("button", { name: /^Refund [\d.,]+ USD$/ }).click();
  await expect(dialog).toBeHidden();
  const { items } = await money.listRefunds({ orderId });
  expect(items).toMatchObject([{ status: "paid", amount: half.toString() }]);

  await page.reload();
  await expect(page.getByText("Refunded:")).toBeVisible();
});

test("a builder answers a dispute with one button", async ({ page }) => {
  const { subscriber, builder, plans } = await readSandbox();
  const buyer = clientOf(subscriber);
  const { paymentMethodId } = await buyer.paymentMethods.addPaymentMethod({
    testCard: "pm_card_createDisputeProductNotReceived",
  });
  const { orderId } = await buyer.plans.orderPlan(plans.card, {
    providerPaymentMethodId: paymentMethodId,
  });
  const { money } = clientOf(builder);
  const findDispute = async () =>
    (await money.listDisputes()).items.find((dispute) => dispute.orderId === orderId);
  await expect.poll(findDispute).toBeTruthy();
  await signInAsDemo(page, "builder");
  await page.goto("/balance/disputes");
  await expect(page.getByText("Response needed").first()).toBeVisible();
  await page.goto(`/balance/disputes/${(await findDispute())?.disputeId}`);
  await page.getByRole("button", { name: "Submit evidence" }).click();
  await expect(page.getByText("Under review")).toBeVisible();
  expect((await findDispute())?.status).toBe("under_review");
});
