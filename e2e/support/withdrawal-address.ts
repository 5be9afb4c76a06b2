import type { Locator, Page } from "@playwright/test";
import { expect } from "./test.ts";

/** Adds an address on the withdraw page and waits until it can be used; its option. */
export async function addWithdrawalAddress(
  page: Page,
  name: string,
  address: string,
): Promise<Locator> {
  await page.goto("/balance/withdraw");
  await page.getByLabel("New address").fill(address);
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Add address" }).click();
  const option = page.getByRole("radio", { name: new RegExp(name) });
  await expect(option).toBeVisible();
  await expect(async () => {
    await page.goto("/balance/withdraw");
    await expect(option).toBeEnabled({ timeout: 500 });
  }).toPass();
  return option;
}
