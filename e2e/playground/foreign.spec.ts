import type { Page } from "@playwright/test";
import { agentHost } from "../support/agent-servers.ts";
import { payAs } from "../support/playground.ts";
import { readSandbox } from "../support/sandbox-file.ts";
import { signInAsDemo } from "../support/sign-in.ts";
import {
  expect,
  expectNoAxeFindings,
  expectNoSidewaysScroll,
  takePicture,
  test,
} from "../support/test.ts";

const MONEY_TIMEOUT_MS = 60_000;
const serve = agentHost(test);

const endpoint = (page: Page) => page.getByRole("textbox", { name: "Endpoint" });
const money = (page: Page) => page.getByTestId("pg-money");

async function openPlayground(page: Page): Promise<void> {
  await signInAsDemo(page, "subscriber");
  await page.goto("/playground");
}

for (const [seller, tag] of [
  ["honoUrl", ""],
  ["expressUrl", " @long"],
] as const) {
  test(`a pasted seller is paid in three clicks, and its receipt checked: ${seller}${tag}`, async ({
    page,
  }) => {
    const { foreign } = await readSandbox();
    await openPlayground(page);
    let clicks = 0;
    const click = async (target: ReturnType<Page["locator"]>) => {
      clicks += 1;
      await target.click();
    };
    await click(endpoint(page));
    await endpoint(page).fill(foreign[seller]);
    await click(page.getByTestId("pg-run"));
    const approval = page.getByTestId("pg-approval");
    await expect(approval).toContainText("0.01 USDC", { timeout: MONEY_TIMEOUT_MS });
    await expect(approval).toContainText("once");
    if (seller === "honoUrl") {
      await expectNoAxeFindings(page);
      await expectNoSidewaysScroll(page);
      await takePicture(page, "playground-foreign");
    }
    await click(page.getByTestId("pg-approve"));
    await expect(money(page)).toHaveAttribute("data-money", "settled", {
      timeout: MONEY_TIMEOUT_MS,
    });
    expect(clicks).toBeLessThanOrEqual(3);
    const settle = page.getByTestId("pg-step-6");
    await expect(settle).toHaveAttribute("data-outcome", "transfer-settled");
    await settle.getByRole("button", { name: /^Explain/ }).click();
    const inspector = page.getByRole("region", { name: "Inspector" });
    await expect(inspector).toContainText("used on chain");
    await expect(inspector).toContainText("matches the offer");
    if (seller === "honoUrl") await takePicture(page, "playground-foreign-settled");
  });
}

test("a payment that is not signed is not sent, and one above the limit is not asked for @long", async ({
  page,
}) => {
  const { foreign } = await readSandbox();
  await openPlayground(page);
  await endpoint(page).fill(foreign.honoUrl);
  await page.getByTestId("pg-run").click();
  await page.getByTestId("pg-approval").getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByTestId("pg-step-3")).toHaveAttribute("data-outcome", "not-approved");
  await expect(page.getByTestId("pg-step-5")).toHaveAttribute("data-status", "skipped");
  await page.getByRole("tab", { name: "Options" }).click();
  await page.getByRole("textbox", { name: /Maximum for this run/ }).fill("0.005");
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-step-3")).toHaveAttribute("data-outcome", "price-over-cap");
});

test("the person's own wallet is offered to sign @long", async ({ page }) => {
  const { foreign } = await readSandbox();
  await openPlayground(page);
  await endpoint(page).fill(foreign.honoUrl);
  await payAs(page, "Your wallet");
  await page.getByTestId("pg-run").click();
  const approval = page.getByTestId("pg-approval");
  await expect(approval.getByRole("button", { name: "Connect wallet" })).toBeVisible({
    timeout: MONEY_TIMEOUT_MS,
  });
});

test("an offer of x402 version 1 is read and explained @long", async ({ page }) => {
  const seller = await serve((_request, response) => {
    const required = {
      x402Version: 1,
      error: "X-PAYMENT header is required",
      accepts: [
        {
          scheme: "exact",
          network: "base-sepolia",
          maxAmountRequired: "10000",
          resource: "https://seller.example/quote",
          description: "",
          mimeType: "",
          payTo: `0x${"9f".repeat(20)}`,
          maxTimeoutSeconds: 60,
          asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
          extra: { name: "USDC", version: "2" },
        },
      ],
    };
    response.writeHead(402, { "content-type": "application/json" }).end(JSON.stringify(required));
  });
  await openPlayground(page);
  await endpoint(page).fill(seller.url);
  await page.getByTestId("pg-run").click();
  const step = page.getByTestId("pg-step-2");
  await expect(step).toHaveAttribute("data-outcome", "offer-version-1", {
    timeout: MONEY_TIMEOUT_MS,
  });
  await expect(step).toContainText("0.01 USDC on Base Sepolia");
});
