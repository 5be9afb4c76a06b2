import type { APIRequestContext, Page } from "@playwright/test";
import { getErc20PriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { clientOf, readSandbox } from "./sandbox-file.ts";
import { makeApiKey } from "./subscriber.ts";
import { expect } from "./test.ts";

export const READY_MS = 20_000;

/** Opens the builder and waits for its draft. */
export async function openBuilder(page: Page): Promise<void> {
  await page.goto("/plans/new");
  await expectBuilder(page);
}

export const expectBuilder = (page: Page) =>
  expect(page.getByRole("button", { name: "Continue to price" })).toBeEnabled({
    timeout: READY_MS,
  });

/** A field's error. */
export const fault = (page: Page, text: string) => page.locator("[data-error]").getByText(text);

export const chooseKind = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).click();
export const goOn = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).click();

export async function create(page: Page): Promise<string> {
  await goOn(page, "Create plan");
  const panel = page.getByTestId("plan-created");
  await expect(panel.getByRole("heading", { level: 2 })).toBeFocused({ timeout: READY_MS });
  return (await panel.locator("[data-plan-id]").textContent()) ?? "";
}

export async function readPlan(request: APIRequestContext, planId: string) {
  const answer = await request.get(`/api/v1/protocol/plans/${planId}`);
  expect(answer.status()).toBe(200);
  return answer.json();
}

export const sentJson = async (page: Page) => {
  await page.getByRole("tab", { name: "JSON" }).click();
  const panel = page.getByRole("tabpanel", { name: "JSON" });
  return JSON.parse((await panel.locator("code").textContent()) ?? "");
};

/** A plan of the signed-in account, 100 credits for 10.00 USDC, made without a page. */
export async function planOf(page: Page, name: string): Promise<string> {
  const { plans, builder } = await readSandbox();
  const { registry } = await readPlan(page.request, plans.crypto);
  const seller = clientOf({ apiKey: await makeApiKey(page) });
  const { planId } = await seller.plans.registerCreditsPlan(
    { name },
    getErc20PriceConfig(10_000_000n, registry.price.tokenAddress, builder.address),
    getFixedCreditsConfig(100n, 1n),
  );
  return planId;
}
