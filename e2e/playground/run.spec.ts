import type { Locator, Page } from "@playwright/test";
import type { OutcomeCode } from "../../lib/playground/outcomes.ts";
import { payAs } from "../support/playground.ts";
import { clientOf, readSandbox } from "../support/sandbox-file.ts";
import { signInAsDemo } from "../support/sign-in.ts";
import {
  expect,
  expectNoAxeFindings,
  expectNoSidewaysScroll,
  takePicture,
  test,
} from "../support/test.ts";

const MONEY_TIMEOUT_MS = 60_000;

test.beforeAll(async () => {
  const { subscriber, plans } = await readSandbox();
  await clientOf(subscriber).plans.orderPlan(plans.crypto);
});

async function openPlayground(page: Page, query = ""): Promise<void> {
  await signInAsDemo(page, "subscriber");
  await page.goto(`/playground${query}`);
}

const statuses = (page: Page) =>
  Promise.all(
    [1, 2, 3, 4, 5, 6].map((step) =>
      page.getByTestId(`pg-step-${step}`).getAttribute("data-status"),
    ),
  );

/** The inspector shows the outcome of the deciding step. */
const expectOutcome = (page: Page, outcome: OutcomeCode) =>
  expect(page.getByRole("region", { name: "Inspector" }).locator("code").last()).toHaveText(
    outcome,
  );

async function runAgainst(page: Page, url: string, method = "POST"): Promise<void> {
  await page.goto(`/playground?method=${method}&url=${encodeURIComponent(url)}`);
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-money")).toBeVisible({ timeout: MONEY_TIMEOUT_MS });
}

async function runToSettled(page: Page): Promise<void> {
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-money")).toHaveAttribute("data-money", "settled", {
    timeout: MONEY_TIMEOUT_MS,
  });
}

test("the demo agent is called, paid and settled; the run is kept and exported without its token", async ({
  page,
}) => {
  await openPlayground(page);
  await page.getByTestId("pg-run").click();
  const money = page.getByTestId("pg-money");
  await expect(money).toHaveAttribute("data-money", "settled", { timeout: MONEY_TIMEOUT_MS });
  expect(await statuses(page)).toEqual(["ok", "ok", "ok", "ok", "ok", "ok"]);
  await expect(page.getByText("The receipt matches the balance.").first()).toBeVisible();
  await takePicture(page, "playground-settled");
  const kept = await page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const kept = databases.find(({ name }) => name?.startsWith("turnpike-playground."));
    return new Promise<string>((done) => {
      const opening = indexedDB.open(kept?.name ?? "");
      opening.onsuccess = () => {
        const all = opening.result.transaction("runs").objectStore("runs").getAll();
        all.onsuccess = () => done(JSON.stringify(all.result));
      };
    });
  });
  expect(kept).toContain("settled");
  expect(kept).not.toMatch(/"payment-signature","(?!redacted|\$TURNPIKE_ACCESS_TOKEN)/);

  await page.getByRole("button", { name: "Export" }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "HAR (HTTP archive)" }).click();
  const stream = await (await downloading).createReadStream();
  let text = "";
  for await (const chunk of stream) text += chunk;
  const { log } = JSON.parse(text);
  expect(log.version).toBe("1.2");
  expect(log.entries).toHaveLength(2);
  expect(text).not.toMatch(/"payment-signature",\s*"value": "(?!redacted|\$TURNPIKE_ACCESS_TOKEN)/);
});

test("a step opens at its exchange, is highlighted, and says what the next run can use @long", async ({
  page,
}) => {
  await openPlayground(page);
  // The first run orders the plan, and may settle before its transaction is named.
  await runToSettled(page);
  await runToSettled(page);
  const request = page.getByRole("form", { name: "Request" });
  const cost = "Your test customer pays up to 1 credit from “Starter”";
  await expect(request.getByText(cost)).toHaveText(/ \([\d,]+ left\)\.$/);
  await expect(page.getByTestId("pg-payer")).toHaveText(
    "Run as your test customer. Nothing remains: the permission ended with the run.",
  );
  const money = page.getByTestId("pg-money");
  await expect(money.getByText(/^0\.01 USDC$/)).toBeVisible();
  await expect(money.getByText(/^200, \d+ B$/)).toBeVisible();
  await expect(money.getByRole("button", { name: "Copy transaction" })).toBeVisible();

  const marked = page.locator("[data-testid^=pg-step-][aria-current]");
  await expect(marked).toHaveCount(1);
  await expect(marked).toHaveAttribute("data-testid", "pg-step-6");
  const inspector = page.getByRole("region", { name: "Inspector" });
  const open = (step: number) =>
    page.getByRole("button", { name: new RegExp(`^Open step ${step},`) });
  await open(5).click();
  await expect(open(5)).toHaveAttribute("aria-pressed", "true");
  await expect(marked).toHaveAttribute("data-testid", "pg-step-5");
  await expect(inspector.getByRole("tab", { name: "Headers" })).toHaveAttribute(
    "aria-selected",
    "true",
  );
  await expect(inspector.getByRole("button", { name: "Copy payment-response" })).toBeVisible();
  await open(1).click();
  await expect(marked).toHaveAttribute("data-testid", "pg-step-1");
  await expect(inspector.getByRole("button", { name: "Copy payment-required" })).toBeVisible();
  await expect(open(3)).toHaveCount(0);
  await expect(open(4)).toHaveCount(0);

  await page.getByRole("button", { name: /^Explain step 6,/ }).click();
  await expect(inspector.getByText("Only a 2xx response is settled.")).toBeVisible();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await inspector.getByRole("button", { name: "Copy header" }).click();
  await expect(page.getByText("payment-response copied")).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(JSON.parse(Buffer.from(copied, "base64").toString())).toMatchObject({ success: true });

  // Without a run the page shows the person's own credits, to those who pay themselves.
  await page.reload();
  await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-status", "idle");
  await expect(request.getByText(cost)).toHaveText(/“Starter”\.$/);
  await payAs(page, "Your account");
  await expect(
    request.getByText(/^This run can use up to 1 credit from “Starter” \([\d,]+ left\)\.$/),
  ).toBeVisible();
});

test("three panes are side by side from 1280 px, and keys resize them @long", async ({ page }) => {
  await openPlayground(page);
  const panes = () =>
    Promise.all(
      ["#pg-pane-request", "section[aria-label=Timeline]", "#pg-pane-inspector"].map(
        async (pane) =>
          (await page.locator(pane).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 },
      ),
    );
  for (const width of [1280, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const [request, timeline, inspector] = await panes();
    expect(request?.width, `${width} px`).toBe(360);
    expect(timeline?.width).toBeGreaterThanOrEqual(420);
    expect(inspector?.width).toBe(420);
    expect(timeline?.x).toBe((request?.x ?? 0) + 360);
    expect(inspector?.x).toBe((timeline?.x ?? 0) + (timeline?.width ?? 0));
    expect((inspector?.x ?? 0) + 420).toBe(width);
    expect(inspector?.y).toBe(request?.y);
  }
  const edge = page.getByRole("separator", { name: "Width of the inspector pane" });
  await edge.focus();
  await page.keyboard.press("ArrowLeft");
  expect((await panes())[2]?.width).toBe(436);
  await expect(edge).toHaveAttribute("aria-valuenow", "436");
  await page.keyboard.press("End");
  expect((await panes())[1]?.width).toBe(420);
  // A smaller window shrinks the side panes first.
  await page.setViewportSize({ width: 1280, height: 900 });
  expect((await panes())[1]?.width).toBeGreaterThanOrEqual(420);
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1024, height: 900 });
  const [request, timeline, inspector] = await panes();
  expect(timeline?.x).toBe((request?.x ?? 0) + (request?.width ?? 0));
  expect(inspector?.x).toBe(timeline?.x);
  await expect(edge).toBeHidden();
});

test("on a phone, the steps and the run are reachable from every pane @long", async ({ page }) => {
  await page.setViewportSize({ width: 375, height: 720 });
  await openPlayground(page);
  await runToSettled(page);
  const again = page.getByRole("button", { name: "Run all" });
  const strip = page.getByRole("list", { name: "Steps", exact: true });
  await page.evaluate(() => window.scrollTo(0, 400));
  await expect(strip).toBeInViewport();
  await expect(again).toBeInViewport();
  await strip.getByRole("button", { name: "2, Read the offer: done" }).click();
  await expect(page.getByRole("tab", { name: "Inspector" })).toHaveAttribute(
    "aria-selected",
    "true",
  );
  await expect(page.getByRole("region", { name: "Inspector" }).locator("code").last()).toHaveText(
    "offer-valid",
  );
  await again.click();
  await expect(page.getByRole("tab", { name: "Timeline" })).toHaveAttribute(
    "aria-selected",
    "true",
  );
  await expect(page.getByTestId("pg-money")).toHaveAttribute("data-money", "settled", {
    timeout: MONEY_TIMEOUT_MS,
  });
  await page.getByRole("tab", { name: "Request" }).click();
  await expect(page.getByText("2, kept in this browser")).toBeVisible();
  await expect(again).toHaveCount(1);
  await takePicture(page, "playground-phone-request");
});

test("the navigation shows icons only when the panes need space, and keeps its labels @long", async ({
  page,
}) => {
  await openPlayground(page);
  const rail = page.getByRole("navigation", { name: "Main" });
  const widths: Record<number, number> = { 1024: 55, 1280: 55, 1440: 55, 1536: 231, 1920: 231 };
  for (const [width, railWidth] of Object.entries(widths)) {
    await page.setViewportSize({ width: Number(width), height: 900 });
    expect((await rail.boundingBox())?.width, `${width} px`).toBe(railWidth);
    const place = rail.getByRole("link", { name: "Plans", exact: true });
    await expect(place).toHaveAttribute("title", "Plans");
    await expectNoSidewaysScroll(page);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await rail.getByRole("link", { name: "Home", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).not.toHaveText("Playground");
  expect((await rail.boundingBox())?.width).toBe(231);
});

test("steps run one at a time, and stopping pays nothing", async ({ page }) => {
  await openPlayground(page);
  await page.getByTestId("pg-step").click();
  await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-status", "ok");
  for (const step of [2, 3, 4]) {
    await page.getByRole("button", { name: /^Next step/ }).click();
    await expect(page.getByTestId(`pg-step-${step}`)).toHaveAttribute("data-status", "ok");
  }
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByTestId("pg-step-5")).toHaveAttribute("data-status", "skipped");
  await expect(page.getByText("You stopped the run here.").first()).toBeVisible();
});

test("a service on this machine that is not an agent is blocked", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  await runAgainst(page, "http://169.254.169.254/latest/meta-data/", "GET");
  await expectOutcome(page, "not-sent");
});

test("the keyboard alone fills in the request, runs it, and opens a step and a saved run @long", async ({
  page,
}) => {
  test.setTimeout(60_000);
  await openPlayground(page);
  // Pointer events are blocked from here on.
  await page.evaluate(() => {
    for (const name of ["pointerdown", "mousedown", "click", "touchstart"]) {
      const isPointer = (event: Event) => name !== "click" || (event as MouseEvent).detail > 0;
      document.addEventListener(
        name,
        (event) => {
          if (!isPointer(event)) return;
          event.preventDefault();
          event.stopImmediatePropagation();
        },
        true,
      );
    }
  });
  const focused = (locator: Locator) =>
    locator.evaluate((element) => element === document.activeElement);
  const tabTo = async (target: Locator) => {
    for (let press = 0; press < 160; press += 1) {
      if ((await target.count()) > 0 && (await focused(target))) return;
      await page.keyboard.press("Tab");
    }
    await expect(target).toBeFocused();
  };
  await tabTo(page.getByRole("textbox", { name: "Endpoint" }));
  await page.keyboard.press("Tab");
  await expect(page.getByRole("tab", { name: "Body" }).first()).toBeFocused();
  await page.keyboard.press("End");
  await expect(page.getByRole("tab", { name: "Faults" })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Home");
  await tabTo(page.getByRole("textbox", { name: "Body" }));
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type('{"text":"by keys alone"}');
  await tabTo(page.getByTestId("pg-run"));
  await takePicture(page, "playground-keyboard-focus");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("pg-money")).toBeVisible({ timeout: MONEY_TIMEOUT_MS });
  const explain = page.getByRole("button", { name: /^Explain step 1,/ });
  await tabTo(explain);
  await page.keyboard.press("Enter");
  const inspector = page.getByRole("region", { name: "Inspector" });
  await tabTo(inspector.getByRole("tab", { name: "Explain" }));
  await page.keyboard.press("ArrowRight");
  await expect(inspector.getByRole("tab", { name: "Headers" })).toBeFocused();
  await page.keyboard.press("ControlOrMeta+Enter");
  const kept = page.getByRole("region", { name: "Recent runs" });
  await expect(kept.getByText("2, kept in this browser")).toBeVisible({
    timeout: MONEY_TIMEOUT_MS,
  });
  const older = kept.getByRole("button", { name: /POST \/ask/ }).nth(2);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await tabTo(older);
  await page.keyboard.press("Enter");
  await expect(older).toHaveAttribute("aria-current", "true");
});

test("every part of the request is visible at every width @long", async ({ page }) => {
  await openPlayground(page);
  await page.getByRole("tab", { name: "Faults" }).click();
  for (const width of [320, 768, 1024, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const row = page.getByRole("tablist", { name: "Request sections" });
    const clipped = await row.evaluate(
      (list) =>
        [...list.children].filter((tab) => {
          const [inner, outer] = [tab.getBoundingClientRect(), list.getBoundingClientRect()];
          return inner.left < outer.left - 0.5 || inner.right > outer.right + 0.5;
        }).length,
    );
    expect(clipped, `${width} px`).toBe(0);
    if (width === 1280) await takePicture(page, "playground-parts-1280");
  }
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`has no axe violations and fits every width, with its dialogs open too, ${colorScheme} @long`, async ({
    page,
  }) => {
    test.setTimeout(180_000);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await openPlayground(page);
    await page.getByTestId("pg-run").click();
    await expect(page.getByTestId("pg-money")).toBeVisible({ timeout: MONEY_TIMEOUT_MS });
    for (const width of [320, 375, 768, 1024, 1280, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      await expectNoSidewaysScroll(page);
      await expectNoAxeFindings(page);
      await takePicture(page, `playground-${width}-${colorScheme}`);
      await expectDialogsFit(page, width);
    }
  });
}

/** Opens and closes each dialog and menu of the page by keyboard. */
async function expectDialogsFit(page: Page, width: number): Promise<void> {
  const look = async () => {
    await expectNoSidewaysScroll(page);
    await expectNoAxeFindings(page);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page.getByRole("menu")).toHaveCount(0);
  };
  for (const name of ["Share", "Shared links"]) {
    await page.getByRole("button", { name, exact: true }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await look();
  }
  await page.getByRole("button", { name: "Export" }).click();
  await expect(page.getByRole("menu")).toBeVisible();
  await look();
  if (width < 768) await page.getByRole("tab", { name: "Request" }).click();
  await page
    .getByRole("button", { name: /^More for POST/ })
    .first()
    .click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await look();
  if (width < 768) await page.getByRole("tab", { name: "Timeline" }).click();
}

test("what was entered for one host is not sent to another, and the request says so @long", async ({
  page,
}) => {
  await signInAsDemo(page, "subscriber");
  await page.goto("/playground?method=POST&url=https%3A%2F%2Fone.example%2Fask");
  await page.getByRole("tab", { name: "Headers" }).first().click();
  const headers = page.getByRole("textbox", { name: "Headers" });
  await headers.fill("x-api-key: of-one");
  const endpoint = page.getByRole("textbox", { name: "Endpoint" });
  await endpoint.fill("https://two.example/ask");
  await expect(headers).toHaveValue("");
  await expect(page.getByText("for one.example are not sent to this host.")).toBeVisible();
  await endpoint.fill("https://one.example/other");
  await expect(headers).toHaveValue("x-api-key: of-one");
});
