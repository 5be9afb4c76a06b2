import type { Page } from "@playwright/test";
import { expectGoodLooks } from "./support/look.ts";
import { expect, expectNoAxeFindings, takePicture, test } from "./support/test.ts";

const STEPS = 10;

const stepOf = (page: Page, number: number) => page.getByTestId(`pg-step-${number}`);

async function runPaidCall(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Run/ }).click();
  await expect(page.getByTestId("paid-call")).toHaveAttribute("data-phase", "ended");
}

async function settlePaidCall(page: Page): Promise<void> {
  await runPaidCall(page);
  await expect(page.getByTestId("outcome")).toHaveText(/^Paid and settled: 1 credit/);
}

const stepLine = (id: string, rest: object = {}) =>
  JSON.stringify({
    id,
    title: id,
    meaning: "Held.",
    ok: true,
    ran: true,
    durationMs: 4,
    facts: {},
    ...rest,
  });

const BEFORE_RECEIPT = "plan agent order delegation token ask verify call".split(" ");

/** The number of clicks from the first page. */
async function countClicks(page: Page): Promise<{ count: number }> {
  const clicks = { count: 0 };
  await page.exposeFunction("noteClick", () => {
    clicks.count += 1;
  });
  await page.addInitScript(() => {
    const { noteClick } = window as unknown as { noteClick: () => void };
    addEventListener("click", () => noteClick(), true);
  });
  return clicks;
}

test("one click plays a complete paid call and shows its receipt", async ({ page }) => {
  const since = Date.now();
  const clicks = await countClicks(page);
  await page.goto("/");
  const call = page.getByTestId("paid-call");
  await expect(call.getByText("Recorded", { exact: true })).toBeVisible();
  await settlePaidCall(page);
  const secs = (Date.now() - since) / 1000;
  console.log(`A1: clicks ${clicks.count}, ${secs.toFixed(1)} s`);
  expect(clicks.count).toBe(1);
  expect(secs).toBeLessThanOrEqual(10);
  expect(await page.context().cookies()).toEqual([]);
  for (let number = 1; number <= STEPS; number++) {
    await expect(stepOf(page, number)).toHaveAttribute("data-status", "ok");
  }
  await expect(stepOf(page, 6)).toContainText("402");
  await expect(stepOf(page, 8)).toContainText("200");
  await expect(page.getByTestId("pg-money")).toHaveText("Settled");
  const receipt = page.getByTestId("receipt");
  await expect(receipt.getByTestId("credits-used")).toHaveText("1");

  // Other tests use the same account at the same time, so the balance differs each time.
  const left = async () =>
    Number(await receipt.getByTestId("credits-left").locator("b").textContent());
  const first = await left();
  await settlePaidCall(page);
  await expect(page.getByTestId("pg-money")).toHaveText("Settled");
  const second = await left();
  expect(second).not.toBe(first);
});

test("the first frame is a finished 402 exchange, labelled as recorded, whose times add up", async ({
  page,
}) => {
  await page.goto("/");
  const call = page.getByTestId("paid-call");
  await expect(call).toHaveAttribute("data-phase", "idle");
  for (const text of ["Payment Required", "payment-signature:", "payment-response:", "Settled"]) {
    await expect(call.getByText(text).first()).toBeVisible();
  }
  const lines = await call.getByRole("list", { name: "A recorded paid call" }).textContent();
  const last = Number(
    lines
      ?.match(/(\d+) ms/g)
      ?.at(-1)
      ?.split(" ")[0],
  );
  const label = await call.getByRole("img").getAttribute("aria-label");
  expect(label).toBe(`Time to scale: ${last.toLocaleString("en-US")} milliseconds`);
  const parts = (await call.getByText(/^\S.* \d+ ms$/).allInnerTexts())
    .filter((text) => /^(Request without|Access|Verify|Agent|Settle|Connection)/.test(text))
    .map((text) => Number(/(\d+) ms$/.exec(text)?.[1]));
  expect(parts.reduce((sum, ms) => sum + ms, 0)).toBe(last);
  await expect(page.getByText("Free to try")).toBeVisible();
});

test("has no axe violations and scrolls sideways at no width, before and after a run @long", async ({
  page,
}) => {
  test.slow();
  const widths = [320, 375, 768, 1280];
  await page.goto("/");
  await expectGoodLooks(page, widths, "landing-idle");
  await settlePaidCall(page);
  for (const details of await page.getByRole("button", { name: /^Details/ }).all()) {
    await details.click();
  }
  await expectGoodLooks(page, widths, "landing-done");
});

test("a keyboard alone reaches the content, runs the call and opens its details @long", async ({
  page,
}) => {
  await page.goto("/");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  const run = page.getByRole("button", { name: /^Run/ });
  // A button is passed over until the page can respond.
  await expect(run).toBeEnabled();
  await tabTo(page, () => run.evaluate((button) => button === document.activeElement));
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("outcome")).toHaveText(/^Paid and settled: 1 credit/);
  await expect(run).toBeFocused();
  const details = stepOf(page, 1).getByRole("button", { name: /^Details/ });
  await tabTo(page, () => details.evaluate((button) => button === document.activeElement));
  await page.keyboard.press("Space");
  await expect(details).toHaveAttribute("aria-expanded", "true");
  await expect(stepOf(page, 1)).toContainText("planId");
});

async function tabTo(page: Page, isReached: () => Promise<boolean>): Promise<void> {
  for (let press = 0; press < 20; press++) {
    if (await isReached()) return;
    await page.keyboard.press("Tab");
  }
  expect(await isReached()).toBe(true);
}

test("a response without a receipt is amber, with its own status @long", async ({ page }) => {
  const missing = {
    ok: false,
    money: "delivered-unsettled",
    meaning: "You have the answer.",
    error: "200 without a payment-response header.",
  };
  await page.route("/demo/run", (route) =>
    route.fulfill({
      contentType: "application/x-ndjson",
      body: [
        ...BEFORE_RECEIPT.map((id) => stepLine(id)),
        stepLine("receipt", missing),
        stepLine("balance", { ok: false, ran: false, meaning: "Not run." }),
      ].join("\n"),
    }),
  );
  await page.goto("/");
  await runPaidCall(page);
  await expect(
    page.getByTestId("pg-money").locator("[data-money=delivered-unsettled]"),
  ).toBeVisible();
  await expect(stepOf(page, 9)).toHaveAttribute("data-status", "warn");
  await expect(stepOf(page, 10)).toHaveAttribute("data-status", "skipped");
  await expectNoAxeFindings(page);
  await takePicture(page, "landing-unsettled");
});

test.describe("with a service that rejects the run", () => {
  test.use({ mustNotComplain: false });

  test("a rejected run says why and that no call was made", async ({ page }) => {
    await page.route("/demo/run", (route) =>
      route.fulfill({ status: 429, json: { code: "rate_limited", message: "Try again shortly." } }),
    );
    await page.goto("/");
    await runPaidCall(page);
    await expect(page.getByTestId("pg-money")).toHaveText("Nothing charged");
    await expect(page.getByTestId("outcome")).toHaveText("No call was made.Try again shortly.");
  });
});

test("Stop before payment says that no credits were used @long", async ({ page }) => {
  // The response never arrives, so the first step runs until it is stopped.
  await page.route("/demo/run", () => {});
  await page.goto("/");
  await page.getByRole("button", { name: "Run it live" }).click();
  await expect(stepOf(page, 1)).toHaveAttribute("data-status", "running");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByTestId("outcome")).toContainText(
    "You stopped the run before payment. No credits were used.",
  );
});

test("the chosen theme is applied before the first paint of the next visit @long", async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.goto("/");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole("button", { name: "Switch theme" }).click();
  await expect.poll(ground).not.toBe(light);
  await page.reload({ waitUntil: "commit" });
  await page.waitForFunction(() => document.body !== null);
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
  await page.getByRole("button", { name: "Switch theme" }).click();
  await expect.poll(ground).toBe(light);
});

test("the page works without JavaScript", async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL });
  const page = await context.newPage();
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Put a price");
  await expect(page.getByText("npm run demo").first()).toBeVisible();
  await expect(page.getByText("createGate(payments, {")).toBeVisible();
  await expect(page.getByText("Every call has a payment status")).toBeVisible();
  await expect(page.locator("[data-money=delivered-unsettled]")).toBeVisible();
  await context.close();
});

test("T40: no key and no token reaches the browser", async ({ page, request, baseURL }) => {
  const html = await (await page.goto("/"))?.text();
  const run = await request.post("/demo/run", { headers: { origin: baseURL ?? "" } });
  const story = await run.text();
  expect(story.trim().split("\n")).toHaveLength(STEPS);
  for (const text of [html ?? "", story]) {
    expect(text).not.toContain("svc-sandbox:");
    expect(text).not.toMatch(/eyJ[\w+/=-]{40}/);
  }
});

test("a run from another site's page, or from none, is rejected", async ({ request }) => {
  for (const origin of ["https://evil.example", "null"]) {
    expect((await request.post("/demo/run", { headers: { origin } })).status()).toBe(403);
  }
  expect((await request.post("/demo/run")).status()).toBe(403);
});

test("the page blocks foreign content, framing and MIME sniffing", async ({ request }) => {
  const headers = (await request.get("/")).headers();
  const policy = headers["content-security-policy"] ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect(policy).not.toMatch(/https?:/);
  expect(headers["x-content-type-options"]).toBe("nosniff");
  expect(headers["referrer-policy"]).toBe("no-referrer");
});

test("every link on the page works @long", async ({ page, request }) => {
  await page.goto("/");
  const links = await page
    .locator("a[href]")
    .evaluateAll((all) =>
      all.map((link) => (link as HTMLAnchorElement).href).filter((href) => !href.includes("#")),
    );
  expect(links.length).toBeGreaterThan(3);
  for (const href of new Set(links)) {
    expect([href, (await request.get(href)).status()]).toEqual([href, 200]);
  }
});
