import type { APIRequestContext, Page } from "@playwright/test";
import { signInAfresh, signInAsDemo } from "./support/sign-in.ts";
import { expect, expectNoAxeFindings, takePicture, test } from "./support/test.ts";

const SCHEMES = ["light", "dark"] as const;

/** Texts that run as markup or code wherever a text is taken for more than text. */
const HOSTILE = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "javascript:alert(1)",
  "<svg/onload=alert(1)>",
  "{{constructor.constructor('alert()')()}}",
  "\u0024{alert(1)}",
  "</textarea><script>alert(1)</script>",
  "'-alert(1)-'",
];

const READY_MS = 20_000;

/** Opens the builder and waits until its draft is there. */
async function openBuilder(page: Page): Promise<void> {
  await page.goto("/plans/new");
  await expectBuilder(page);
}

const expectBuilder = (page: Page) =>
  expect(page.getByRole("button", { name: "Continue to price" })).toBeEnabled({
    timeout: READY_MS,
  });

/** What a field says is wrong with it. */
const fault = (page: Page, text: string) => page.locator("[data-error]").getByText(text);

const chooseKind = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).click();
const goOn = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

async function create(page: Page): Promise<string> {
  await goOn(page, "Create plan");
  const panel = page.getByTestId("plan-created");
  await expect(panel.getByRole("heading", { level: 2 })).toBeFocused({ timeout: READY_MS });
  return (await panel.locator("[data-plan-id]").textContent()) ?? "";
}

async function readPlan(request: APIRequestContext, planId: string) {
  const answer = await request.get(`/api/v1/protocol/plans/${planId}`);
  expect(answer.status()).toBe(200);
  return answer.json();
}

const sentJson = async (page: Page) => {
  await page.getByRole("tab", { name: "JSON" }).click();
  const panel = page.getByRole("tabpanel", { name: "JSON" });
  return JSON.parse((await panel.locator("code").textContent()) ?? "");
};

async function planOf(page: Page, name: string): Promise<string> {
  await openBuilder(page);
  await chooseKind(page, "Pay per call");
  await goOn(page, "Continue to credits");
  await goOn(page, "Continue to name");
  await page.getByLabel("Name").fill(name);
  return create(page);
}

test.describe("the plan builder", () => {
  test("a template is five clicks and a name (A4)", async ({ page, request }) => {
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
      page.getByRole("heading", { name: "Plan ‘Filings, flexible’ is ready." }),
    ).toBeFocused({ timeout: READY_MS });
    expect(clicks).toBe(5);
    await takePicture(page, "plan-created");
    const planId = (await page.locator("[data-plan-id]").textContent()) ?? "";
    const plan = await readPlan(request, planId);
    expect(plan.registry).toMatchObject({ price: sent.priceConfig, credits: sent.creditsConfig });
    expect(plan.metadata.main.name).toBe("Filings, flexible");
    // The draft is gone: the next plan begins anew.
    await goOn(page, "Create another");
    await expectBuilder(page);
    expect((await sentJson(page)).metadataAttributes.name).toBe("Your plan");
  });

  const RAILS = ["Card", "Stablecoin", "Other token", "Native", "Free"];
  const TOKEN = "0x2222222222222222222222222222222222222222";

  for (const rail of RAILS) {
    test(`${rail}: every way of counting credits is stored as it was shown`, async ({
      page,
      request,
    }) => {
      test.slow();
      await signInAfresh(page);
      for (const kind of ["Pay per call", "Flexible per call", "Time pass", "For ever"]) {
        await openBuilder(page);
        await chooseKind(page, kind === "For ever" ? "Time pass" : kind);
        await page
          .getByRole("group", { name: "Paid with" })
          .getByText(rail, { exact: true })
          .click();
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
          await page.getByRole("combobox", { name: "Unit of length" }).click();
          await page.getByRole("option", { name: "Never ends" }).click();
        }
        await goOn(page, "Continue to name");
        await page.getByLabel("Name").fill(`${rail}, ${kind}`);
        await page.getByLabel("Unlisted").check();
        const sent = await sentJson(page);
        const review = page.getByTestId("plan-review");
        // What is stored of a token nobody here knows has no decimals, so Review says its smallest unit.
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
          Native: `125${"0".repeat(17)}`,
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
    });
  }

  test("a free trial, with several choices under Advanced", async ({ page, request }) => {
    await signInAfresh(page);
    await openBuilder(page);
    await chooseKind(page, "Free trial");
    await expect(page.getByText("A free trial costs nothing")).toBeVisible();
    await goOn(page, "Continue to credits");
    await page.getByText("Advanced", { exact: true }).click();
    await page.getByLabel("Accounts you name").check();
    await page.getByLabel("Accounts", { exact: true }).fill(TOKEN);
    await page.getByLabel("Require a proof on chain for each call").check();
    await goOn(page, "Continue to name");
    await page.getByLabel("Name").fill("Try it");
    await page.getByLabel("Draft").check();
    const plan = await readPlan(request, await create(page));
    expect(plan.metadata.plan.isTrialPlan).toBe(true);
    expect(plan.state).toBe("draft");
    expect(plan.registry.credits).toMatchObject({ redemptionType: 2, proofRequired: true });
  });

  test("pays several receivers, each its own amount", async ({ page, request }) => {
    await signInAfresh(page);
    await openBuilder(page);
    await chooseKind(page, "Pay per call");
    await page.getByRole("button", { name: "Add a receiver" }).click();
    await page.getByLabel("Amount 2").fill("2.50");
    await page.getByRole("textbox", { name: "Receiver 2" }).fill(TOKEN);
    await expect(page.getByText("Together 12.50 USDC, for 2 receivers.")).toBeVisible();
    await goOn(page, "Continue to credits");
    await goOn(page, "Continue to name");
    await page.getByLabel("Name").fill("Shared");
    const plan = await readPlan(request, await create(page));
    expect(plan.registry.price.amounts).toEqual(["10000000", "2500000"]);
    expect(plan.registry.price.receivers[1]).toBe(TOKEN);
  });

  test("says in words what is wrong with an amount or a receiver, and does not go on", async ({
    page,
  }) => {
    await signInAfresh(page);
    await openBuilder(page);
    await chooseKind(page, "Pay per call");
    const amount = page.getByLabel("Amount");
    const receiver = page.getByLabel("Receiver");
    await amount.fill("1.2345678");
    await receiver.fill("0x0000000000000000000000000000000000000000");
    await receiver.blur();
    await goOn(page, "Continue to credits");
    await expect(amount).toBeFocused();
    await expect(fault(page, "This currency has 6 decimals; 1.2345678 has 7.")).toBeVisible();
    await expect(
      fault(page, "That is the zero address. What is sent there is lost."),
    ).toBeVisible();
    const { priceConfig } = await sentJson(page);
    await receiver.fill(priceConfig.tokenAddress);
    await expect(fault(page, "That is the contract of the token.")).toBeVisible();
    await receiver.fill("0x54F6EcF00fdEea628a15E3831f28a77B908B981f");
    await expect(fault(page, "The checksum does not fit")).toBeVisible();
    await receiver.fill("0x12");
    await expect(fault(page, "It has 42 characters and starts with 0x.")).toBeVisible();
    await page.getByRole("button", { name: "My account" }).click();
    await expect(
      page.getByText("Your account. Checksum fits; not zero, not the token contract."),
    ).toBeVisible();
    await amount.fill("25");
    await expect(page.getByText("= 25,000,000 (6 decimals)")).toBeVisible();
    await goOn(page, "Continue to credits");
    await page.getByLabel("Per call").fill("101");
    await goOn(page, "Continue to name");
    await expect(fault(page, "One call may not fit")).toBeVisible();
    await goOn(page, "Continue to name");
    await expect(page.getByLabel("Per call")).toBeFocused();
  });

  test("Back and a reload lose nothing, and nothing is sent before Create", async ({ page }) => {
    await signInAfresh(page);
    await openBuilder(page);
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() !== "GET") sent.push(`${request.method()} ${request.url()}`);
    });
    await chooseKind(page, "Flexible per call");
    await page.getByLabel("Amount").fill("31.4");
    await goOn(page, "Continue to credits");
    await page.getByLabel("Most per call").fill("7");
    await goOn(page, "Back to price");
    await expect(page).toHaveURL(/step=price/);
    await expect(page.getByLabel("Amount")).toHaveValue("31.4");
    await page.goBack();
    await expect(page.getByLabel("Most per call")).toHaveValue("7");
    await page.reload();
    await expect(page.getByLabel("Most per call")).toHaveValue("7");
    await expect(page.getByLabel("Amount")).toHaveValue("31.4");
    expect(sent).toEqual([]);
    await page.getByRole("button", { name: "Discard draft" }).click();
    await expect(page.getByRole("button", { name: "Keep it" })).toBeFocused();
    await page.getByRole("dialog").getByRole("button", { name: "Discard draft" }).click();
    await chooseKind(page, "Flexible per call");
    await expect(page.getByLabel("Amount")).toHaveValue("10.00");
  });

  test("can be walked through by keyboard alone", async ({ page, request }) => {
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
    /** Tabs until the focus is where it should be, as a person would. */
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
    await tabTo("Per call");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("2");
    // Enter in a field goes on.
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

  test("pressed twice, Create makes one plan", async ({ page }) => {
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
});

test.describe("plans", () => {
  test("are found by search, state and rail, all in the URL", async ({ page }) => {
    await signInAfresh(page);
    await planOf(page, "Alpha filings");
    await planOf(page, "Beta filings");
    await page.goto("/plans");
    await expect(page.getByText("2 plans")).toBeVisible();
    await page.getByRole("searchbox", { name: "Search plans" }).fill("alpha");
    await expect(page).toHaveURL("/plans?q=alpha");
    await expect(page.getByText("1 plan", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("menuitem", { name: "State is Draft" }).click();
    await expect(page).toHaveURL("/plans?q=alpha&state=draft");
    await expect(page.getByRole("heading", { name: "No plans match" })).toBeVisible();
    await expect(page.getByText("Search is ‘alpha’, State is draft.")).toBeVisible();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await expect(page).toHaveURL("/plans");
    await page.getByRole("combobox", { name: "Order" }).click();
    await page.getByRole("option", { name: "By name" }).click();
    await expect(page).toHaveURL("/plans?sort=name");
    await expect(page.locator("[data-row-opener]").first()).toHaveText("Alpha filings");
    await page.locator("[data-row-opener]").first().focus();
    await page.keyboard.press("j");
    await expect(page.locator("[data-row-opener]").nth(1)).toBeFocused();
  });

  test("change their words and who can find them; price and credits as a new version", async ({
    page,
    request,
  }) => {
    await signInAfresh(page);
    const planId = await planOf(page, "Before");
    await page.goto(`/plans/${planId}?tab=settings`);
    await page.getByLabel("Name").fill("");
    await page.getByRole("button", { name: "Save plan" }).click();
    await expect(fault(page, "Give it a name.")).toBeVisible();
    await page.getByLabel("Name").fill("After");
    await page.getByLabel("Sample link").fill("javascript:alert(1)");
    await page.getByRole("button", { name: "Save plan" }).click();
    await expect(fault(page, "Expected an http(s) URL.")).toBeVisible();
    await page.getByLabel("Sample link").fill("https://example.com/sample");
    await page.getByRole("button", { name: "Save plan" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "After" })).toBeVisible();

    await page.getByRole("button", { name: "Unlist plan" }).click();
    const dialog = page.getByRole("dialog", { name: "Unlist ‘After’?" });
    await expect(dialog).toContainText("It leaves Explore at once");
    await expectNoAxeFindings(page);
    await dialog.getByRole("button", { name: "Unlist plan" }).click();
    await expect(page.getByRole("button", { name: "List plan" })).toBeVisible();

    await page.getByRole("link", { name: "New version" }).click();
    await page.getByLabel("Amount").fill("12");
    await page.getByLabel("Granted").fill("200");
    await expect(page.getByTestId("version-changes")).toContainText("10.00 USDC");
    await expect(page.getByTestId("version-changes")).toContainText("12.00 USDC");
    await takePicture(page, "plan-new-version");
    await page.getByRole("button", { name: "Publish version 2" }).click();
    await page.waitForURL(`**/plans/${planId}`);
    await expect(page.getByText("Version 2", { exact: true })).toBeVisible();
    const plan = await readPlan(request, planId);
    expect(plan).toMatchObject({ version: 2, state: "unlisted" });
    expect(plan.registry.price.amounts).toEqual(["12000000"]);
    expect(plan.registry.credits.amount).toBe("200");
    expect(plan.metadata.main).toMatchObject({
      name: "After",
      sampleLink: "https://example.com/sample",
    });
  });

  test("of somebody else, or that are none, are not found", async ({ page, browser }) => {
    await signInAfresh(page);
    const planId = await planOf(page, "Mine alone");
    const stranger = await (await browser.newContext()).newPage();
    await signInAfresh(stranger);
    for (const path of [
      `/plans/${planId}`,
      `/plans/${planId}?tab=settings`,
      `/plans/${planId}/new-version`,
      "/plans/nothing",
      "/plans/7",
    ]) {
      const answer = await stranger.goto(path);
      expect(answer?.status(), path).toBe(404);
      await expect(stranger.getByRole("heading", { level: 1 })).toHaveText(
        "There is no such plan of yours",
      );
      await expect(stranger.getByText("Mine alone")).toHaveCount(0);
    }
    await stranger.context().close();
  });

  test("text people wrote stays text on every page @long", async ({ page }) => {
    test.slow();
    await page.addInitScript(() => {
      window.alert = () => console.error("alert was called");
    });
    await signInAfresh(page);
    for (const text of HOSTILE) {
      await openBuilder(page);
      await chooseKind(page, "Pay per call");
      await goOn(page, "Continue to credits");
      await goOn(page, "Continue to name");
      for (const label of ["Name", "Description", "Sold by", "Tags", "Licence", "Sample link"]) {
        await page.getByLabel(label, { exact: false }).first().fill(text);
      }
      await goOn(page, "Create plan");
      await expect(fault(page, "Expected an http(s) URL.")).toBeVisible();
      await page.getByLabel("Sample link").fill("https://example.com/<b>");
      const planId = await create(page);
      for (const path of [`/plans/${planId}`, `/plans/${planId}?tab=code`, `/p/${planId}`]) {
        await page.goto(path);
        await expect(page.getByRole("heading", { level: 1 })).toHaveText(text);
      }
      for (const href of await page
        .locator("main a")
        .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href))) {
        expect(href).toMatch(/^https?:/);
      }
      await page.goto("/plans");
      await expect(page.getByRole("link", { name: text, exact: true }).first()).toBeVisible();
    }
  });
});

test.describe("plans for everybody", () => {
  test("are found and read without signing in, and lead to the checkout", async ({ page }) => {
    await page.goto("/explore?q=Starter");
    await expect(
      page
        .getByRole("link", { name: "Sign in" })
        .or(page.getByRole("navigation", { name: "Main" }))
        .first(),
    ).toBeVisible();
    await page.getByRole("link", { name: "Starter", exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Starter" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Agents it opens" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Reader" }).first()).toBeVisible();
    await expect(page.getByRole("link", { name: "Order plan" })).toHaveAttribute(
      "href",
      /^\/checkout\/\d+$/,
    );
    await expectNoAxeFindings(page);
    await takePicture(page, "public-plan");
  });

  test("are chosen by how they are paid", async ({ page }) => {
    await page.goto("/explore?rail=card&q=Starter");
    await expect(page.getByRole("link", { name: "Starter by card" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Starter", exact: true })).toHaveCount(0);
  });

  test("a draft is nobody’s but its owner’s", async ({ page, browser }) => {
    await signInAfresh(page);
    await openBuilder(page);
    await chooseKind(page, "Free trial");
    await goOn(page, "Continue to credits");
    await goOn(page, "Continue to name");
    await page.getByLabel("Name").fill("Not yet");
    await page.getByLabel("Draft").check();
    const planId = await create(page);
    await page.goto(`/p/${planId}`);
    await expect(page.getByText("This is a draft: only you see this page.")).toBeVisible();
    const visitor = await (await browser.newContext()).newPage();
    expect((await visitor.goto(`/p/${planId}`))?.status()).toBe(404);
    await expect(visitor.getByRole("heading", { level: 1 })).toHaveText("There is no such plan");
    await visitor.context().close();
  });
});

test.describe("how plans look", () => {
  for (const scheme of SCHEMES) {
    test(`axe finds nothing while there is nothing, in ${scheme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      await signInAfresh(page);
      await page.goto("/plans");
      await expect(page.getByRole("heading", { name: "No plans yet" })).toBeVisible();
      await expectNoAxeFindings(page);
      await takePicture(page, `plans-empty-${scheme}`);
      const planId = await planOf(page, "Nobody’s yet");
      for (const [tab, words] of [
        ["subscribers", "No subscribers yet"],
        ["activity", "No calls yet"],
      ]) {
        await page.goto(`/plans/${planId}?tab=${tab}`);
        await expect(page.getByRole("heading", { name: words as string })).toBeVisible();
        await expectNoAxeFindings(page);
      }
    });

    test.describe("when something cannot be read", () => {
      // A page that fails says so in the console too.
      test.use({ mustNotComplain: false });
      test(`the frame stays and axe finds nothing, in ${scheme}`, async ({ page }) => {
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
        await signInAsDemo(page, "builder");
        await page.goto("/explore?after=no-such-cursor");
        await expect(page.getByRole("heading", { name: "Plans could not be read" })).toBeVisible();
        await expect(page.getByRole("button", { name: "Retry" })).toBeVisible();
        await expect(page.getByRole("navigation", { name: "Breadcrumb" })).toBeVisible();
        await expectNoAxeFindings(page);
        await takePicture(page, `explore-error-${scheme}`);
      });
    });
  }

  test("on a narrow window the preview is a sheet", async ({ page }) => {
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
