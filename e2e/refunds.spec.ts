import type { Page } from "@playwright/test";
import { getCryptoPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { createPublicClient, getAddress, http, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { clientOf, readSandbox } from "./support/sandbox-file.ts";
import { signInAfresh, signInAsDemo } from "./support/sign-in.ts";
import { connect, makeApiKey, signInWithWallet } from "./support/subscriber.ts";
import { expect, expectNoAxeFindings, takePicture, test } from "./support/test.ts";
import { addWithdrawalAddress } from "./support/withdrawal-address.ts";

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
    .getByRole("textbox", { name: "Amount" })
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

test("an order on chain is refunded from its sale, the rest is withdrawn, and the chain agrees", async ({
  page,
}) => {
  await signInAfresh(page);
  const { seller, held } = await sellOnChain(page);
  const wallet = privateKeyToAddress(generatePrivateKey());
  const before = await held(seller.accountAddress);
  await openSale(page);
  await expectNoAxeFindings(page);
  await takePicture(page, "sale");
  await refundTwo(page);
  await expect(page.getByRole("row").filter({ hasText: "by you" })).toContainText("Refunded");

  await withdraw(page, { wallet, amount: "1" });
  // 2.00 went back to the payer, 1.00 to the wallet.
  const left = before - 3_000_000n;
  const shown = (left / 1_000_000n).toLocaleString("en");
  await page.goto("/balance");
  await expect(page.locator("[data-currency=usdc]")).toContainText(`${shown}.00`);
  await expect(page.locator("[data-difference='0']")).toBeVisible();
  expect(await held(seller.accountAddress)).toBe(left);
  expect(await held(wallet)).toBe(1_000_000n);
});

test("a builder whose own wallet holds the key refunds by a signature @long", async ({ page }) => {
  test.setTimeout(120_000);
  const wallet = await signInWithWallet(page);
  const { seller, buyer, held } = await sellOnChain(page);
  const [had, spent] = [await held(seller.accountAddress), await held(buyer.accountAddress)];
  await openSale(page);
  await refundTwo(page);
  const dialog = page.getByRole("dialog", { name: "Sign the refund" });
  await connect(page);
  await expect(dialog).toContainText("2.00 USDC");
  for (const [width, colorScheme] of [
    [1440, "light"],
    [390, "dark"],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 900 });
    await expectNoAxeFindings(page);
    await takePicture(page, `refund-by-wallet-${width}-${colorScheme}`);
  }
  wallet.rejectNext("eth_signTypedData_v4");
  await dialog.getByRole("button", { name: "Sign and refund 2.00 USDC" }).click();
  await expect(dialog.getByRole("alert")).toContainText("You closed the request in your wallet");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("row").filter({ hasText: "by you" })).toContainText("Waiting");
  expect(await held(seller.accountAddress)).toBe(had);

  // The refund that was not signed is the one that is signed now.
  await refundTwo(page);
  await connect(page);
  await dialog.getByRole("button", { name: "Sign and refund 2.00 USDC" }).click();
  await expect(dialog).toBeHidden({ timeout: 30_000 });
  await expect(page.getByRole("row").filter({ hasText: "by you" })).toContainText("Refunded");
  await takePicture(page, "refund-by-wallet-done");
  expect(await held(seller.accountAddress)).toBe(had - 2_000_000n);
  expect(await held(buyer.accountAddress)).toBe(spent + 2_000_000n);
  expect(wallet.asked.filter((method) => method === "eth_signTypedData_v4")).toHaveLength(2);
  expect(wallet.asked).not.toContain("eth_sendTransaction");
});

/** A sale of the person signed in, paid on chain by the demo subscriber, and what accounts hold there. */
async function sellOnChain(page: Page) {
  const seller = clientOf({ apiKey: await makeApiKey(page) });
  const { subscriber, chain } = await readSandbox();
  const buyer = clientOf(subscriber);
  const usdc = getAddress(chain.contracts.usdc ?? "");
  const { planId } = await seller.plans.registerCreditsPlan(
    { name: "On chain" },
    getCryptoPriceConfig(5_000_000n, seller.accountAddress, usdc),
    getFixedCreditsConfig(10n),
  );
  await buyer.plans.orderPlan(planId);
  const client = createPublicClient({ transport: http(chain.rpcUrl) });
  const held = (account: string) =>
    client.readContract({
      address: usdc,
      abi: parseAbi(["function balanceOf(address account) view returns (uint256)"]),
      functionName: "balanceOf",
      args: [getAddress(account)],
    });
  return { seller, buyer, held };
}

async function openSale(page: Page): Promise<void> {
  await page.goto("/balance");
  await page.getByRole("row").filter({ hasText: "Sale, On chain" }).getByRole("link").click();
  await expect(page.getByRole("heading", { name: "Sale of On chain" })).toBeVisible();
}

/** Begins a refund of 2.00 USDC on the open page of a sale. */
async function refundTwo(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: /Another amount/ }).check();
  await dialog.getByRole("textbox", { name: "Amount" }).fill("2");
  await dialog.getByRole("button", { name: "Refund 2.00 USDC" }).click();
}

/** Withdraws stablecoin to a wallet that is new to the account's list. */
async function withdraw(
  page: Page,
  { wallet, amount }: { wallet: string; amount: string },
): Promise<void> {
  const option = await addWithdrawalAddress(page, "New wallet", wallet);
  await option.check();
  await page.getByLabel("Amount").fill(amount);
  await page.getByRole("button", { name: "Withdraw", exact: true }).click();
  await expect(page.getByText("The withdrawal was paid")).toBeVisible();
}
