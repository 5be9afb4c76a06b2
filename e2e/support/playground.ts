import type { Page } from "@playwright/test";

type Payer = "Test customer" | "Your account" | "Your wallet" | "A token" | "No one";

/** Chooses who pays for the next run of the open playground. */
export async function payAs(page: Page, payer: Payer): Promise<void> {
  await page.getByRole("tab", { name: "Payer" }).click();
  await page.getByRole("combobox", { name: "Pay as" }).click();
  await page.getByRole("option", { name: payer }).click();
}
