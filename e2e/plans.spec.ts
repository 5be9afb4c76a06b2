import { getErc20PriceConfig, getExpirableDurationConfig } from "@turnpike/payments/protocol";
import { expectGoodLooks } from "./support/look.ts";
import {
  chooseKind,
  create,
  fault,
  goOn,
  openBuilder,
  planOf,
  readPlan,
} from "./support/plan-builder.ts";
import { clientOf, readSandbox } from "./support/sandbox-file.ts";
import { signInAfresh, signInAsDemo } from "./support/sign-in.ts";
import { makeApiKey } from "./support/subscriber.ts";
import { expect, expectNoAxeFindings, takePicture, test } from "./support/test.ts";

/** Text that would run as markup or code if it were not escaped. */
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

const REDEEMER = "0x2222222222222222222222222222222222222222";

test.describe("plans", () => {
  test("can be filtered by search, state and rail, all in the URL @long", async ({ page }) => {
    await signInAfresh(page);
    await planOf(page, "Alpha filings");
    await planOf(page, "Beta filings");
    await page.goto("/plans");
    await expect(page.getByText("2 plans")).toBeVisible();
    await page.getByRole("searchbox", { name: "Search plans" }).fill("alpha");
    await expect(page).toHaveURL("/plans?q=alpha");
    await expect(page.getByText("1 plan", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("menuitem", { name: "State: Draft" }).click();
    await expect(page).toHaveURL("/plans?q=alpha&state=draft");
    await expect(page.getByRole("heading", { name: "No plans match “alpha”" })).toBeVisible();
    await expect(page.getByText("Filters: state draft.")).toBeVisible();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await expect(page).toHaveURL("/plans");
    await page.getByRole("combobox", { name: "Order" }).click();
    await page.getByRole("option", { name: "By name" }).click();
    await expect(page).toHaveURL("/plans?sort=name");
    await expect(page.locator("[data-row-opener]").first()).toHaveText("Alpha filings");
    await page.locator("[data-row-opener]").first().focus();
    await page.keyboard.press("j");
    await expect(page.locator("[data-row-opener]").nth(1)).toBeFocused();
    // Alone, k moves to the row above; after g it opens API keys.
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await expect(page).toHaveURL("/settings/api-keys");
  });

  test("text and visibility can be edited; price and credits make a new version", async ({
    page,
    request,
  }) => {
    await signInAfresh(page);
    const planId = await planOf(page, "Before");
    await page.goto(`/plans/${planId}?tab=settings`);
    await page.getByLabel("Name").fill("");
    await page.getByRole("button", { name: "Save plan" }).click();
    await expect(fault(page, "Enter a name.")).toBeVisible();
    await page.getByLabel("Name").fill("After");
    await page.getByLabel("Sample link").fill("javascript:alert(1)");
    await page.getByRole("button", { name: "Save plan" }).click();
    await expect(fault(page, "Enter an http(s) URL, or text.")).toBeVisible();
    await page.getByLabel("Sample link").fill("https://example.com/sample");
    await page.getByRole("button", { name: "Save plan" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "After" })).toBeVisible();

    await page.getByRole("button", { name: "Unlist plan" }).click();
    const dialog = page.getByRole("dialog", { name: "Unlist “After”?" });
    await expect(dialog).toContainText("It is removed from Explore");
    await expectNoAxeFindings(page);
    await dialog.getByRole("button", { name: "Unlist plan" }).click();
    await expect(page.getByRole("button", { name: "List plan" })).toBeVisible();

    await page.getByRole("link", { name: "Create new version" }).click();
    await page.getByLabel("Amount").fill("12");
    await page.getByLabel("Credits per order").fill("200");
    await expect(page.getByTestId("version-changes")).toContainText("10.00 USDC");
    await expect(page.getByTestId("version-changes")).toContainText("12.00 USDC");
    await takePicture(page, "plan-new-version");
    await page.getByRole("link", { name: "Cancel" }).click();
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.getByRole("button", { name: "Stay" }).click();
    await page.getByText("Advanced", { exact: true }).click();
    await page.getByLabel("Selected accounts").check();
    await page.getByLabel("Accounts", { exact: true }).fill(REDEEMER);
    await page.getByRole("button", { name: "Publish version 2" }).click();
    await page.waitForURL(`**/plans/${planId}`);
    await expect(page.getByText("Version 2", { exact: true }).first()).toBeVisible();
    const plan = await readPlan(request, planId);
    expect(plan).toMatchObject({ version: 2, state: "unlisted" });
    expect(plan.registry.price.amounts).toEqual(["12000000"]);
    expect(plan.registry.credits.amount).toBe("200");
    expect(plan.metadata.main).toMatchObject({
      name: "After",
      sampleLink: "https://example.com/sample",
    });
    await page.goto(`/plans/${planId}?tab=settings`);
    await expect(page.getByLabel("Accounts", { exact: true })).toHaveValue(REDEEMER);
    await page.goto(`/plans/${planId}/new-version`);
    await page.getByText("Advanced", { exact: true }).click();
    await expect(page.getByText("A new version keeps the plan’s accounts.")).toBeVisible();
  });

  test("saving a plan's texts shows what another tab saved meanwhile", async ({
    page,
    context,
  }) => {
    await signInAfresh(page);
    const planId = await planOf(page, "Old name");
    const other = await context.newPage();
    for (const tab of [page, other]) await tab.goto(`/plans/${planId}?tab=settings`);
    await other.getByLabel("Name").fill("New name");
    await other.getByRole("button", { name: "Save plan" }).click();
    await expect(other.getByRole("heading", { level: 1, name: "New name" })).toBeVisible();
    await page.getByLabel("Description").fill("Summaries");
    await page.getByRole("button", { name: "Save plan" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "New name" })).toBeVisible();
    await expect(page.getByLabel("Name")).toHaveValue("New name");
    await expect(page.getByLabel("Description")).toHaveValue("Summaries");
  });

  test("a price that stops renewals is published after a question, and archiving counts them too @long", async ({
    page,
  }) => {
    test.setTimeout(90_000);
    await signInAfresh(page);
    const seller = clientOf({ apiKey: await makeApiKey(page) });
    const sandbox = await readSandbox();
    const buyer = clientOf(sandbox.subscriber);
    const { registry } = await readPlan(page.request, sandbox.plans.crypto);
    const { planId } = await seller.plans.registerTimePlan(
      { name: "Monthly" },
      getErc20PriceConfig(2_000_000n, registry.price.tokenAddress, sandbox.builder.address),
      getExpirableDurationConfig(30n * 86_400n),
    );
    const { delegationId } = await buyer.delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 1_000n,
      durationSecs: 31_536_000,
      currency: "usd",
      planIds: [planId],
    });
    await buyer.plans.orderPlan(planId, { delegationId });
    await buyer.money.setRenewal({ planId, isOn: true, delegationId });

    await page.goto(`/plans/${planId}?tab=settings`);
    await page.getByRole("button", { name: "Archive plan" }).click();
    const archive = page.getByRole("dialog", { name: "Archive “Monthly”?" });
    await expect(archive).toContainText("1 subscriber keeps their access");
    await expect(archive).toContainText("1 renewal stops");
    await takePicture(page, "plan-archive-renewals");
    await archive.getByRole("button", { name: "Keep it" }).click();
    await page.getByRole("link", { name: "Create new version" }).click();
    const stops = "1 subscriber renews automatically. Their renewal stops until they agree";
    await page.getByLabel("Amount").fill("3");
    await expect(page.getByText(stops)).toBeVisible();
    await takePicture(page, "plan-new-version-renewals");
    await page.getByRole("button", { name: "Publish version 2" }).click();
    const question = page.getByRole("dialog", { name: "Publish version 2 of “Monthly”?" });
    await takePicture(page, "plan-publish-question");
    await question.getByRole("button", { name: "Keep editing" }).click();
    expect(await readPlan(page.request, planId)).toMatchObject({ version: 1 });
    await page.getByRole("button", { name: "Publish version 2" }).click();
    await question.getByRole("button", { name: "Publish version 2" }).click();
    await page.waitForURL(`**/plans/${planId}`);
    expect(await readPlan(page.request, planId)).toMatchObject({ version: 2 });
  });

  test("a new version never reverts what another tab published meanwhile @long", async ({
    page,
    context,
    request,
  }) => {
    await signInAfresh(page);
    const planId = await planOf(page, "Overtaken");
    await page.goto(`/plans/${planId}/new-version`);
    await page.getByLabel("Credits per order").fill("200");
    const other = await context.newPage();
    await other.goto(`/plans/${planId}/new-version`);
    await other.getByLabel("Amount").fill("12");
    await other.getByRole("button", { name: "Publish version 2" }).click();
    await other.waitForURL(`**/plans/${planId}`);
    // Refused once, unless the page has read the other version by now.
    await expect(async () => {
      const publish = page.getByRole("button", { name: /^Publish version/ });
      if (await publish.isVisible()) await publish.click({ timeout: 1_000 });
      await page.waitForURL(`**/plans/${planId}`, { timeout: 3_000 });
    }).toPass({ timeout: 15_000 });
    const plan = await readPlan(request, planId);
    expect(plan.version).toBe(3);
    expect(plan.registry.price.amounts).toEqual(["12000000"]);
    expect(plan.registry.credits.amount).toBe("200");
  });

  test("archiving is undone from another page too", async ({ page, request }) => {
    await signInAfresh(page);
    const planId = await planOf(page, "Seasonal");
    await page.goto(`/plans/${planId}?tab=settings`);
    await page.getByRole("button", { name: "Archive plan" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Archive plan" }).click();
    const messages = page.getByRole("region", { name: "Messages" });
    await expect(messages.getByText("“Seasonal” is archived")).toBeVisible();
    await page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: "Agents" })
      .click();
    await page.waitForURL("**/agents");
    await messages.getByRole("button", { name: "Undo" }).click();
    await expect(messages.getByText("“Seasonal” is restored")).toBeVisible();
    expect(await readPlan(request, planId)).toMatchObject({ state: "listed" });
  });

  test("other accounts' plans and malformed ids are not found @long", async ({ page, browser }) => {
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
      await expect(stranger.getByRole("heading", { level: 1 })).toHaveText("Plan not found");
      await expect(stranger.getByText("Mine alone")).toHaveCount(0);
    }
    await stranger.context().close();
  });

  test("untrusted text stays text on every page @long", async ({ page }) => {
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
      for (const label of ["Name", "Description", "Sold by", "Tags", "License", "Sample link"]) {
        await page.getByLabel(label, { exact: false }).first().fill(text);
      }
      // Any text but a URL is shown as it is.
      if (URL.canParse(text)) {
        await goOn(page, "Create plan");
        await expect(fault(page, "Enter an http(s) URL, or text.")).toBeVisible();
        await page.getByLabel("Sample link").fill("https://example.com/<b>");
      }
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

test.describe("public plans", () => {
  test("can be found and read without signing in, and link to the checkout", async ({ page }) => {
    await page.goto("/explore?q=Starter");
    await expect(
      page
        .getByRole("link", { name: "Sign in" })
        .or(page.getByRole("navigation", { name: "Main" }))
        .first(),
    ).toBeVisible();
    await page.getByRole("link", { name: "Starter", exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Starter" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Agents on this plan" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Reader" }).first()).toBeVisible();
    await expect(page.getByRole("link", { name: "Order plan" })).toHaveAttribute(
      "href",
      /^\/checkout\/\d+$/,
    );
    await expectNoAxeFindings(page);
    await takePicture(page, "public-plan");
  });

  test("can be filtered by payment method", async ({ page }) => {
    await page.goto("/explore?rail=card&q=Starter");
    await expect(page.getByRole("link", { name: "Starter by card" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Starter", exact: true })).toHaveCount(0);
  });

  test("a draft is visible to its owner only @long", async ({ page, browser }) => {
    await signInAfresh(page);
    await openBuilder(page);
    await chooseKind(page, "Free trial");
    await goOn(page, "Continue to credits");
    await goOn(page, "Continue to name");
    await page.getByLabel("Name").fill("Not yet");
    await page.getByLabel("Draft").check();
    const planId = await create(page);
    await page.goto(`/p/${planId}`);
    await expect(page.getByText("This is a draft. Only you can see this page.")).toBeVisible();
    const visitor = await (await browser.newContext()).newPage();
    expect((await visitor.goto(`/p/${planId}`))?.status()).toBe(404);
    await expect(visitor.getByRole("heading", { level: 1 })).toHaveText("Plan not found");
    await visitor.context().close();
  });
});

test.describe("appearance of plans", () => {
  test("the empty state has no axe violations @long", async ({ page }) => {
    await signInAfresh(page);
    await page.goto("/plans");
    await expect(page.getByRole("heading", { name: "No plans yet" })).toBeVisible();
    await expectGoodLooks(page, [375, 1280], "plans-empty");
    const planId = await planOf(page, "No orders yet");
    for (const [tab, words] of [
      ["subscribers", "No subscribers yet"],
      ["activity", "No calls yet"],
    ]) {
      await page.goto(`/plans/${planId}?tab=${tab}`);
      await expect(page.getByRole("heading", { name: words as string })).toBeVisible();
      await expectGoodLooks(page, [375, 1280], `plan-empty-${tab}`);
    }
  });

  test.describe("when data cannot be read", () => {
    // A failed page logs to the console too.
    test.use({ mustNotComplain: false });
    test("the frame stays without axe violations @long", async ({ page }) => {
      await signInAsDemo(page, "builder");
      await page.goto("/explore?after=no-such-cursor");
      await expect(page.getByRole("heading", { name: "Plans could not be loaded" })).toBeVisible();
      await expect(page.getByRole("button", { name: "Retry" })).toBeVisible();
      await expect(page.getByRole("navigation", { name: "Breadcrumb" })).toBeVisible();
      await expectGoodLooks(page, [375, 1280], "explore-error");
    });
  });
});
