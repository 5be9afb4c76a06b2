import type { APIRequestContext, Page, Request } from "@playwright/test";
import { DETERMINISTIC_DEPLOYER } from "../lib/adapters/chain/deployment-plan.ts";
import { ageSignIn } from "./support/age-sign-in.ts";
import {
  chooseKind,
  create,
  expectBuilder,
  fault,
  goOn,
  openBuilder,
  READY_MS,
  readPlan,
  sentJson,
} from "./support/plan-builder.ts";
import { signInAfresh, signInAsDemo } from "./support/sign-in.ts";
import { expect, expectNoAxeFindings, takePicture, test } from "./support/test.ts";

const RAILS = ["Card", "Stablecoin", "Other token", "Native token", "Free"];
const MODELS = ["Pay per call", "Flexible per call", "Time pass", "For ever"];
/** Any contract: whether it is a token is asked when a plan is ordered. */
const TOKEN = DETERMINISTIC_DEPLOYER;
const ACCOUNT = "0x2222222222222222222222222222222222222222";

type NextWindow = { next: { router: { refresh(): void } } };

/** Creates a plan with this price and credit model, and compares what is stored with what was shown. */
async function expectStoredAsShown(
  { page, request }: { page: Page; request: APIRequestContext },
  rail: string,
  kind: string,
): Promise<void> {
  await openBuilder(page);
  await chooseKind(page, kind === "For ever" ? "Time pass" : kind);
  await page.getByRole("group", { name: "Paid with" }).getByText(rail, { exact: true }).click();
  if (rail === "Other token") {
    await page.getByLabel("Token contract").fill(TOKEN);
    await page.getByLabel("Decimals").fill("8");
  }
  if (rail !== "Free") await page.getByLabel("Amount").fill("12.5");
  await expect(page.getByTestId("scheme-verdict")).toContainText(
    rail === "Card" ? "svc:card-delegation" : "svc:erc4337",
  );
  await goOn(page, "Continue to credits");
  if (kind === "For ever") {
    await page.getByRole("combobox", { name: "Unit of time" }).click();
    await page.getByRole("option", { name: "Never expires" }).click();
  }
  await goOn(page, "Continue to name");
  await page.getByLabel("Name").fill(`${rail}, ${kind}`);
  await page.getByLabel("Unlisted").check();
  const sent = await sentJson(page);
  const review = page.getByTestId("plan-review");
  // An unknown token has no decimals, so Review shows its base units.
  const shown = { Free: "Free", "Other token": "1,250,000,000" }[rail] ?? "12.50";
  await expect(review).toContainText(shown);
  const plan = await readPlan(request, await create(page));
  expect(plan.registry).toMatchObject({
    price: sent.priceConfig,
    credits: sent.creditsConfig,
  });
  expect(plan.registry.price.isCrypto).toBe(rail !== "Card");
  const units = {
    Card: "12500000",
    Stablecoin: "12500000",
    "Other token": "1250000000",
    "Native token": `125${"0".repeat(17)}`,
  };
  expect(plan.registry.price.amounts).toEqual(rail === "Free" ? [] : [units[rail as "Card"]]);
  expect(plan.registry.credits).toMatchObject(
    {
      "Pay per call": {
        isRedemptionAmountFixed: true,
        amount: "100",
        minAmount: "1",
        maxAmount: "1",
      },
      "Flexible per call": {
        isRedemptionAmountFixed: false,
        minAmount: "1",
        maxAmount: "10",
      },
      "Time pass": { amount: "1", durationSecs: "2592000" },
      "For ever": { amount: "1", durationSecs: "0" },
    }[kind] ?? {},
  );
  expect(plan.metadata.plan.accessLimit).toBe(kind.includes("per call") ? "credits" : "time");
}

test.describe("the plan builder", () => {
  test("a template takes five clicks and a name (A4)", async ({ page, request }) => {
    await signInAfresh(page);
    await page.goto("/plans");
    let clicks = 0;
    const click = async (role: "button" | "link", name: string) => {
      clicks += 1;
      await page.getByRole(role, { name, exact: true }).click();
    };
    await click("link", "New plan");
    await expectBuilder(page);
    await click("button", "Flexible per call");
    await click("button", "Continue to credits");
    await takePicture(page, "plan-new");
    await click("button", "Continue to name");
    await page.getByLabel("Name").fill("Filings, flexible");
    const sent = await sentJson(page);
    await click("button", "Create plan");
    await expect(
      page.getByRole("heading", { name: "Plan “Filings, flexible” is ready." }),
    ).toBeFocused({ timeout: READY_MS });
    expect(clicks).toBe(5);
    await takePicture(page, "plan-created");
    const planId = (await page.locator("[data-plan-id]").textContent()) ?? "";
    const plan = await readPlan(request, planId);
    expect(plan.registry).toMatchObject({ price: sent.priceConfig, credits: sent.creditsConfig });
    expect(plan.metadata.main.name).toBe("Filings, flexible");
    // The draft is gone, so the next plan starts empty.
    await goOn(page, "Create another");
    await expectBuilder(page);
    expect((await sentJson(page)).metadataAttributes.name).toBe("Your plan");
  });

  test("each price and each credit model is stored as shown @long", async ({ page, request }) => {
    test.slow();
    await signInAfresh(page);
    for (const [at, rail] of RAILS.entries()) {
      const kind = MODELS[at % MODELS.length] ?? "";
      await test.step(`${rail}, ${kind}`, () => expectStoredAsShown({ page, request }, rail, kind));
    }
  });

  for (const rail of RAILS) {
    test(`${rail}: every credit model is stored as shown @long`, async ({ page, request }) => {
      test.slow();
      await signInAfresh(page);
      for (const kind of MODELS) await expectStoredAsShown({ page, request }, rail, kind);
    });
  }

  test("a free trial with several Advanced options @long", async ({ page, request }) => {
    await signInAfresh(page);
    await openBuilder(page);
    await chooseKind(page, "Free trial");
    await expect(page.getByText("A free trial costs nothing")).toBeVisible();
    await goOn(page, "Continue to credits");
    await page.getByText("Advanced", { exact: true }).click();
    await page.getByLabel("Selected accounts").check();
    await page.getByLabel("Accounts", { exact: true }).fill(ACCOUNT);
    await page.getByLabel("Require an on-chain proof for each call").check();
    await page.getByLabel("Require signed requests").check();
    await goOn(page, "Continue to name");
    await page.getByLabel("Name").fill("Try it");
    await page.getByLabel("Draft").check();
    const plan = await readPlan(request, await create(page));
    expect(plan.metadata.plan.isTrialPlan).toBe(true);
    expect(plan.state).toBe("draft");
    expect(plan.registry.credits).toMatchObject({
      redemptionType: 2,
      proofRequired: true,
      holderRequired: true,
    });
  });

  test("pays several receivers different amounts @long", async ({ page, request }) => {
    await signInAfresh(page);
    await openBuilder(page);
    await chooseKind(page, "Pay per call");
    await page.getByRole("button", { name: "Add a receiver" }).click();
    await page.getByLabel("Amount 2").fill("2.50");
    await page.getByRole("textbox", { name: "Receiver 2" }).fill(ACCOUNT);
    await expect(page.getByText("12.50 USDC in total, to 2 receivers.")).toBeVisible();
    await goOn(page, "Continue to credits");
    await goOn(page, "Continue to name");
    await page.getByLabel("Name").fill("Shared");
    const plan = await readPlan(request, await create(page));
    expect(plan.registry.price.amounts).toEqual(["10000000", "2500000"]);
    expect(plan.registry.price.receivers[1]).toBe(ACCOUNT);
  });

  test("an old sign-in is confirmed before a plan pays someone else", async ({ page, request }) => {
    await signInAsDemo(page, "builder");
    await openBuilder(page);
    await chooseKind(page, "Pay per call");
    await page.getByLabel("Receiver").fill(ACCOUNT);
    await goOn(page, "Continue to credits");
    await goOn(page, "Continue to name");
    await page.getByLabel("Name").fill("Paid elsewhere");
    await ageSignIn(page, "/plans/new", "Paid elsewhere");
    await goOn(page, "Create plan");
    const confirm = page.getByRole("dialog", { name: "Confirm it’s you" });
    await confirm.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByText("The plan was not created.")).toBeVisible();
    await ageSignIn(page, "/plans/new", "Paid elsewhere");
    await goOn(page, "Create plan");
    await confirm.getByRole("button", { name: "Continue as demo builder" }).click();
    const created = page.getByTestId("plan-created").locator("[data-plan-id]");
    const plan = await readPlan(request, (await created.textContent()) ?? "");
    expect(plan.registry.price.receivers).toEqual([ACCOUNT]);
  });

  test("explains an invalid amount or receiver and does not continue @long", async ({ page }) => {
    await signInAfresh(page);
    await openBuilder(page);
    await chooseKind(page, "Pay per call");
    const amount = page.getByLabel("Amount");
    const receiver = page.getByLabel("Receiver");
    await amount.fill("25");
    const { priceConfig } = await sentJson(page);
    await amount.fill("1.2345678");
    await receiver.fill("0x0000000000000000000000000000000000000000");
    await receiver.blur();
    await goOn(page, "Continue to credits");
    await expect(amount).toBeFocused();
    await expect(fault(page, "This currency has 6 decimals; 1.2345678 has 7.")).toBeVisible();
    await expect(fault(page, "This is the zero address. Funds sent there are lost.")).toBeVisible();
    await receiver.fill(priceConfig.tokenAddress);
    await expect(fault(page, "This is the token’s contract.")).toBeVisible();
    await receiver.fill("0x54F6EcF00fdEea628a15E3831f28a77B908B981f");
    await expect(fault(page, "The checksum is wrong")).toBeVisible();
    await receiver.fill("0x12");
    await expect(fault(page, "It has 42 characters and starts with 0x.")).toBeVisible();
    await page.getByRole("button", { name: "My account" }).click();
    await expect(page.getByText("Your account. Valid address.")).toBeVisible();
    await amount.fill("25");
    await expect(page.getByText("= 25,000,000 base units (6 decimals)")).toBeVisible();
    await goOn(page, "Continue to credits");
    await page.getByLabel("Credits per call").fill("101");
    await goOn(page, "Continue to name");
    await expect(
      fault(page, "A call can use 101 credits, more than the 100 granted."),
    ).toBeVisible();
    await goOn(page, "Continue to name");
    await expect(page.getByLabel("Credits per call")).toBeFocused();
  });

  test("Back and reload keep the draft, and nothing is sent before Create @long", async ({
    page,
  }) => {
    await signInAfresh(page);
    await openBuilder(page);
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() !== "GET") sent.push(`${request.method()} ${request.url()}`);
    });
    await chooseKind(page, "Flexible per call");
    await page.getByLabel("Amount").fill("31.4");
    await goOn(page, "Continue to credits");
    await page.getByLabel("Maximum per call").fill("7");
    await goOn(page, "Back to price");
    await expect(page).toHaveURL(/step=price/);
    await expect(page.getByLabel("Amount")).toHaveValue("31.4");
    await page.goBack();
    await expect(page.getByLabel("Maximum per call")).toHaveValue("7");
    await page.reload();
    await expect(page.getByLabel("Maximum per call")).toHaveValue("7");
    await expect(page.getByLabel("Amount")).toHaveValue("31.4");
    expect(sent).toEqual([]);
    await page.getByRole("button", { name: "Discard draft" }).click();
    await expect(page.getByRole("button", { name: "Keep it" })).toBeFocused();
    await page.getByRole("dialog").getByRole("button", { name: "Discard draft" }).click();
    await chooseKind(page, "Flexible per call");
    await expect(page.getByLabel("Amount")).toHaveValue("10.00");
  });

  test("a page that is read again keeps its form, whatever another tab has saved @long", async ({
    page,
    context,
  }) => {
    await signInAfresh(page);
    await openBuilder(page);
    await chooseKind(page, "Pay per call");
    await page.getByLabel("Amount").fill("31.4");
    const other = await context.newPage();
    await openBuilder(other);
    await goOn(other, "Continue to price");
    await other.getByLabel("Amount").fill("7");
    await other.close();
    // As after an action that was refused because the page is out of date.
    const isPage = (request: Request) => {
      const { pathname } = new URL(request.url());
      return pathname === "/plans/new" && request.headers().rsc === "1";
    };
    // Next stops reading an answer of which it needs no more.
    const isRead = Promise.race([
      page.waitForEvent("requestfinished", isPage),
      page.waitForEvent("requestfailed", isPage),
    ]);
    await page.evaluate(() => (window as never as NextWindow).next.router.refresh());
    await isRead;
    // The page shows the answer a moment later.
    await page.waitForTimeout(200);
    await expect(page.getByLabel("Amount")).toHaveValue("31.4");
  });

  test("works by keyboard alone @long", async ({ page, request }) => {
    await signInAfresh(page);
    await openBuilder(page);
    await page.evaluate(() => {
      for (const type of ["pointerdown", "mousedown", "click"]) {
        addEventListener(
          type,
          (event) => (event as MouseEvent).detail > 0 && event.preventDefault(),
          true,
        );
      }
    });
    /** Tabs until the focus is on the element. */
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 60; presses++) {
        const isThere = await page.evaluate((wanted) => {
          const at = document.activeElement;
          const label = at?.id ? document.querySelector(`label[for="${at.id}"]`)?.textContent : "";
          const labelled = at?.getAttribute("aria-labelledby");
          const by = labelled ? document.getElementById(labelled)?.textContent : "";
          return [at?.textContent, label, by, at?.getAttribute("aria-label")].includes(wanted);
        }, name);
        if (isThere) return;
        await page.keyboard.press("Tab");
      }
      throw new Error(`The keyboard does not reach ${name}.`);
    };
    await tabTo("Pay per call");
    await page.keyboard.press("Enter");
    await expect(page.locator("[data-step-heading=price]")).toBeFocused();
    await tabTo("Amount");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("3.5");
    await tabTo("Continue to credits");
    await page.keyboard.press("Enter");
    await expect(page.locator("[data-step-heading=credits]")).toBeFocused();
    await tabTo("Credits per call");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("2");
    // Enter in a field continues.
    await page.keyboard.press("Enter");
    await expect(page.locator("[data-step-heading=review]")).toBeFocused();
    await tabTo("Name");
    await page.keyboard.type("By keyboard");
    await takePicture(page, "plan-new-keyboard");
    await page.keyboard.press("Enter");
    await expect(page.getByTestId("plan-created").getByRole("heading")).toBeFocused({
      timeout: READY_MS,
    });
    const planId = (await page.locator("[data-plan-id]").textContent()) ?? "";
    const { registry } = await readPlan(request, planId);
    expect([registry.price.amounts, registry.credits.minAmount]).toEqual([["3500000"], "2"]);
  });

  test("a double click on Create makes one plan @long", async ({ page }) => {
    await signInAfresh(page);
    await openBuilder(page);
    await chooseKind(page, "Pay per call");
    await goOn(page, "Continue to credits");
    await goOn(page, "Continue to name");
    await page.getByLabel("Name").fill("Only one");
    await page.getByRole("button", { name: "Create plan" }).dblclick();
    await expect(page.getByTestId("plan-created")).toBeVisible({ timeout: READY_MS });
    await page.goto("/plans");
    await expect(page.getByRole("link", { name: "Only one" })).toHaveCount(1);
  });

  test("in a narrow window, the preview is a sheet @long", async ({ page }) => {
    await page.setViewportSize({ width: 375, height: 800 });
    await signInAfresh(page);
    await openBuilder(page);
    await page.getByRole("button", { name: "Preview" }).click();
    await expect(page.getByRole("dialog", { name: "Preview" })).toContainText(
      "What subscribers see",
    );
    await expectNoAxeFindings(page);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("button", { name: "Preview" })).toBeFocused();
  });
});
