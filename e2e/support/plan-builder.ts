import type { APIRequestContext, Page } from "@playwright/test";
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

export async function planOf(page: Page, name: string): Promise<string> {
  await openBuilder(page);
  await chooseKind(page, "Pay per call");
  await goOn(page, "Continue to credits");
  await goOn(page, "Continue to name");
  await page.getByLabel("Name").fill(name);
  return create(page);
}
