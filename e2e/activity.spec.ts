import type { Page } from "@playwright/test";
import { payOnce } from "./support/parties.ts";
import { readSandbox } from "./support/sandbox-file.ts";
import { serviceUrl } from "./support/service-url.ts";
import { dropSession, signInAfresh, signInAsDemo } from "./support/sign-in.ts";
import { makeApiKey } from "./support/subscriber.ts";
import { expectNoAxeFindings, expect as impatient, takePicture, test } from "./support/test.ts";

// These pages run a dozen reads in parallel, which takes a while on a busy machine.
const expect = impatient.configure({ timeout: 20_000 });

const SCHEMES = ["light", "dark"] as const;
const CHAIN_PATIENCE_MS = 45_000;

type Reported = {
  agentRequestId?: string;
  at?: string;
  method?: string;
  path?: string;
  httpStatus: number;
  moneyStatus: string;
  reason?: string;
  verifyMs?: number;
  workMs?: number;
  settleMs?: number;
};

const url = (path: string) => `${serviceUrl()}${path}`;

async function call<T>(apiKey: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(url(`/api/v1${path}`), {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  expect(response.ok, JSON.stringify(answer)).toBe(true);
  return answer as T;
}

/** A separate account with a plan and an API key, so that tests do not see each other's data. */
async function signInAsBuilder(page: Page): Promise<{ apiKey: string; planId: string }> {
  await signInAfresh(page);
  const apiKey = await makeApiKey(page);
  const sandbox = await readSandbox();
  type Plan = { registry: { price: unknown; credits: unknown } };
  const { registry } = await call<Plan>(apiKey, `/protocol/plans/${sandbox.plans.trial}`);
  const { planId } = await call<{ planId: string }>(apiKey, "/protocol/plans", {
    metadataAttributes: { name: "=Plan, of a test" },
    priceConfig: registry.price,
    creditsConfig: registry.credits,
    accessLimit: "credits",
  });
  return { apiKey, planId };
}

/** Reports requests to the service as a gate does. */
async function report(
  { apiKey, planId }: { apiKey: string; planId: string },
  requests: Reported[],
): Promise<void> {
  const now = Date.now();
  for (let start = 0; start < requests.length; start += 200) {
    const batch = requests.slice(start, start + 200).map((request, index) => ({
      at: new Date(now - (start + index) * 1_000).toISOString(),
      method: "POST",
      path: "/v1/ask",
      planId,
      ...request,
    }));
    await call(apiKey, "/requests/report", { requests: batch });
  }
}

const SEEN: Reported[] = [
  { httpStatus: 402, moneyStatus: "challenged", verifyMs: 4 },
  { httpStatus: 402, moneyStatus: "challenged", verifyMs: 5 },
  { httpStatus: 402, moneyStatus: "refused", reason: "expired_token", verifyMs: 6 },
  { httpStatus: 402, moneyStatus: "refused", reason: "expired_token", verifyMs: 6 },
  {
    httpStatus: 500,
    moneyStatus: "not-charged",
    reason: '=HYPERLINK("https://evil.example")',
    path: "/v1/compare",
    verifyMs: 7,
    workMs: 1_400,
  },
  { httpStatus: 200, moneyStatus: "free", path: "/health", method: "GET", workMs: 3 },
];
const UNPAID: Reported = {
  agentRequestId: `unpaid-${crypto.randomUUID()}`,
  httpStatus: 200,
  moneyStatus: "delivered-unsettled",
  reason: "insufficient_balance",
  verifyMs: 9,
  workMs: 1_490,
  settleMs: 104,
};

const rows = (page: Page) => page.locator("tbody tr[data-index]");
const foot = (page: Page, text: string) => page.getByText(text, { exact: false });

test("a paid call appears on home, in activity, in its trace and in earnings, with a valid receipt", async ({
  page,
}) => {
  test.setTimeout(180_000);
  const requestId = await payOnce();
  await signInAsDemo(page, "builder");
  // The demo's run is a test call.
  await page.goto("/home?tests=1");
  await expect(page.getByRole("heading", { level: 1, name: "Home" })).toBeVisible();
  await expect(page.locator(`a[href="/activity/${requestId}"]`)).toBeVisible();
  await expect(page.getByRole("heading", { name: /delivered requests? settled$/ })).toBeVisible();
  await page.getByRole("link", { name: "All activity" }).click();
  await expect(page).toHaveURL(/\/activity\?.*tests=1/);
  await expect(page.locator(`a[href*="${requestId}"]`).first()).toBeVisible();

  await page.goto(`/activity?tests=1&q=${requestId}`);
  await expect(rows(page)).toHaveCount(1);
  await rows(page).first().getByRole("link").click();
  const panel = page.getByRole("dialog");
  await expect(panel.getByText("The agent responded. 1 credit charged.")).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`open=${requestId}`));
  await takePicture(page, "activity-panel-light");
  await page.keyboard.press("Escape");
  await expect(panel).toHaveCount(0);
  await expect(page).not.toHaveURL(/open=/);

  await page.goto(`/activity/${requestId}`);
  await expect(page.getByText("The agent responded. 1 credit charged.")).toBeVisible();
  await takePicture(page, "activity-trace-light");
  const receiptLink = page.getByRole("link", { name: "Open receipt" });
  const receiptPath = (await receiptLink.getAttribute("href")) ?? "";

  await page.goto("/earnings?tests=1");
  const plan = page.getByRole("row").filter({ hasText: "Starter" }).first();
  await expect(plan).toBeVisible();
  await takePicture(page, "earnings-light");

  // Anyone with the link can verify it.
  await dropSession(page);
  await expect(async () => {
    await page.goto(receiptPath);
    await expect(page.getByRole("button", { name: "Verify receipt" })).toBeVisible({
      timeout: 2_000,
    });
  }).toPass({ timeout: CHAIN_PATIENCE_MS });
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("1 credit charged");
  await page.getByRole("button", { name: "Verify receipt" }).click();
  await expect(page.getByText("The receipt is valid")).toBeVisible();
  await expect(page.locator("[data-comparison]")).toHaveCount(5);
  await expect(page.locator('[data-holds="false"]')).toHaveCount(0);
  await expectNoAxeFindings(page);
  await takePicture(page, "receipt-checked-light");

  // The same receipt against a different event: one digit of the burn's root is changed in transit.
  await page.route("**/burns", async (route) => {
    const response = await route.fetch();
    const { burns } = await response.json();
    const flip = (root: string) => root.replace(/.$/, root.endsWith("0") ? "1" : "0");
    const changed = burns.map((burn: { root: string }) => ({ ...burn, root: flip(burn.root) }));
    await route.fulfill({ json: { burns: changed } });
  });
  await page.getByRole("button", { name: "Verify receipt" }).click();
  await expect(page.getByText("The receipt is not valid")).toBeVisible();
  await expect(page.locator('[data-comparison="event"]')).toHaveAttribute("data-holds", "false");
  await expect(page.locator('[data-comparison="root"]')).toHaveAttribute("data-holds", "true");
  await takePicture(page, "receipt-refused-light");
});

test("filters are in the URL, and each can be removed @long", async ({ page }) => {
  test.setTimeout(90_000);
  const account = await signInAsBuilder(page);
  await report(account, SEEN);
  await page.goto("/activity");
  await expect(rows(page)).toHaveCount(SEEN.length);

  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("menuitem", { name: "Payment status" }).click();
  await page.getByRole("checkbox", { name: "Declined" }).check();
  await page.getByRole("button", { name: "Apply filter" }).click();
  await expect(page).toHaveURL(/money=refused/);
  await expect(rows(page)).toHaveCount(2);
  // A filter is kept under a name, opened by it, and deleted.
  await page.getByRole("button", { name: "Save view" }).click();
  const name = page.getByRole("textbox", { name: "Name" });
  await name.fill("n".repeat(41));
  await page.getByRole("dialog").getByRole("button", { name: "Save view" }).click();
  await expect(page.getByText("Use at most 40 characters.")).toBeVisible();
  await expect(name).toBeFocused();
  await name.fill("Declined calls");
  await page.getByRole("dialog").getByRole("button", { name: "Save view" }).click();
  await page.getByRole("link", { name: "Remove filter Payment is" }).click();
  await expect(rows(page)).toHaveCount(SEEN.length);
  // Another filter does not replace it under the same name.
  await page.goto("/activity?http=5xx");
  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Declined calls");
  await page.getByRole("dialog").getByRole("button", { name: "Save view" }).click();
  await expect(page.getByText("You already have a view named “Declined calls”.")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Name" })).toBeFocused();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Declined calls" }).click();
  await expect(page).toHaveURL(/money=refused/);
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole("button", { name: "Delete view Declined calls" }).click();
  await expect(page.getByRole("link", { name: "Declined calls" })).toHaveCount(0);
  await page.goto("/activity?cause=expired_token");
  await expect(rows(page)).toHaveCount(2);
  await page.goto("/activity");
  await expect(rows(page)).toHaveCount(SEEN.length);

  await page.goto("/activity?http=5xx");
  await expect(rows(page)).toHaveCount(1);
  await expect(page.getByText("5xx", { exact: true })).toBeVisible();
  await page.goto("/activity?http=402&money=challenged,refused");
  await expect(rows(page)).toHaveCount(4);
  await page.goto(`/activity?plan=${account.planId}&money=settled`);
  await expect(page.getByText("No requests match these filters")).toBeVisible();
  await page.getByRole("link", { name: "Clear filters" }).click();
  await expect(rows(page)).toHaveCount(SEEN.length);

  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("menuitem", { name: "Customer" }).click();
  await page.getByRole("textbox", { name: "Customer is" }).fill("0x12");
  await page.getByRole("button", { name: "Apply filter" }).click();
  await expect(page.getByText("That is not an EVM address.")).toBeVisible();
  await page.keyboard.press("Escape");
  // The dialog returns the focus when it closes.
  await expect(page.getByRole("button", { name: "Filter", exact: true })).toBeFocused();

  // Pick a time range by keyboard: the last hour, then the hour before it.
  await page.getByRole("slider", { name: "Pick a time" }).focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/since=.*until=/);
  await expect(rows(page)).toHaveCount(SEEN.length);
  await expect(page.getByRole("switch", { name: "Live tail" })).toBeDisabled();
  await page.getByRole("link", { name: "Clear", exact: true }).click();
  await expect(page).not.toHaveURL(/since=/);
});

test("the download has every filtered row and no formulas @long", async ({ page }) => {
  test.setTimeout(60_000);
  const account = await signInAsBuilder(page);
  const many = Array.from({ length: 240 }, () => SEEN[0] as Reported);
  await report(account, [...SEEN, ...many]);
  const download = async (path: string) => {
    const response = await page.request.get(path);
    expect(response.headers()["content-type"]).toContain("text/csv");
    expect(response.headers()["content-disposition"]).toContain("attachment");
    return (await response.text()).trimEnd().split("\r\n");
  };
  await page.goto("/activity?http=5xx");
  const link = await page.getByRole("link", { name: "Download CSV" }).getAttribute("href");
  const [head, line, ...rest] = await download(link ?? "");
  expect(rest).toEqual([]);
  expect(head).toContain("at,agentRequestId,method,path");
  expect(line).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
  expect(line).toContain(",500,not-charged,0,");
  expect(await download("/activity/export?role=builder&range=24h")).toHaveLength(
    1 + SEEN.length + many.length,
  );
  const earnings = await download("/earnings/export?range=24h");
  expect(earnings[0]).toContain("kind,id,name,from,currency");

  await dropSession(page);
  const stranger = await page.request.get("/activity/export", { maxRedirects: 0 });
  expect(stranger.status()).toBe(401);
});

test("errors are grouped by cause, with the remedy, and a prompt to fix them in code", async ({
  page,
  context,
}) => {
  test.setTimeout(60_000);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const account = await signInAsBuilder(page);
  const failed = { httpStatus: 504, moneyStatus: "not-charged", reason: "timeout" };
  await report(account, [...SEEN, failed]);
  await page.goto("/activity/errors");
  const group = page.getByRole("row").filter({ hasText: "Access token expired" });
  await expect(group).toContainText("POST /v1/ask");
  await expect(group).toContainText("Customer");
  await expect(group.getByRole("link", { name: "2 calls: Access token expired" })).toBeVisible();
  await expect(group.getByRole("cell", { name: "New", exact: true })).toBeVisible();
  const own = page.getByRole("row").filter({ hasText: "The agent timed out" });
  await expect(own).toContainText("You");
  await own.getByRole("button", { name: "Copy fix prompt" }).click();
  await expect(own.getByRole("button", { name: "Copied" })).toBeVisible();
  const prompt = await page.evaluate(() => navigator.clipboard.readText());
  expect(prompt).toContain("Reason code: timeout");
  await expectNoAxeFindings(page);
  await takePicture(page, "activity-errors-light");
  // Test calls that are counted are listed too.
  await page.goto("/activity/errors?tests=1");
  await group.getByRole("link", { name: "2 calls: Access token expired" }).click();
  await expect(page).toHaveURL(/tests=1/);
  await expect(rows(page)).toHaveCount(2);
  await page.goBack();
  await group.getByRole("link", { name: /^Latest call/ }).click();
  await expect(page.getByText("The payment was declined.")).toBeVisible();
});

test("All activity of a plan lists its calls alone @long", async ({ page }) => {
  const account = await signInAsBuilder(page);
  await report(account, SEEN);
  await page.goto(`/plans/${account.planId}?tab=activity`);
  await page.getByRole("link", { name: "All activity" }).click();
  await expect(page.getByRole("link", { name: /^Remove filter Plan/ })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`range=30d&plan=${account.planId}$`));
  await expect(rows(page)).toHaveCount(SEEN.length);
});

test("an unsettled call stays in Reconcile until it is written off @long", async ({ page }) => {
  test.setTimeout(60_000);
  const account = await signInAsBuilder(page);
  const unpaid = { ...UNPAID, agentRequestId: `unpaid-${crypto.randomUUID()}` };
  await report(account, [unpaid]);
  await page.goto("/home");
  await expect(page.getByRole("link", { name: "Activity 1 to reconcile" })).toBeVisible();
  await page.getByRole("link", { name: "Reconcile: 1 unsettled call" }).click();
  const row = page.getByRole("row").filter({ hasText: "Unsettled" });
  await expect(row).toContainText("Turnpike can’t settle this call");
  await row.getByRole("button", { name: "Check", exact: true }).click();
  await expect(page.getByText("Checked: still unsettled.")).toBeVisible();
  await expectNoAxeFindings(page);
  await takePicture(page, "activity-reconcile-light");
  await row.getByRole("button", { name: "Write off" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Keep it" })).toBeFocused();
  await expectNoAxeFindings(page);
  await dialog.getByRole("textbox", { name: "Note" }).fill("A call of a test.");
  await dialog.getByRole("button", { name: "Write off" }).click();
  await expect(page.getByText("Nothing to reconcile")).toBeVisible();
  await page.goto(`/activity/${unpaid.agentRequestId}`);
  await expect(page.getByText("A call of a test. No credits were charged.")).toBeVisible();
});

test("Reconcile shows every page of a long queue, and keeps the range of the other views @long", async ({
  page,
}) => {
  test.setTimeout(60_000);
  const account = await signInAsBuilder(page);
  const unpaid = Array.from({ length: 60 }, (_, n) => ({
    ...UNPAID,
    agentRequestId: `unpaid-${n}-${crypto.randomUUID()}`,
  }));
  await report(account, unpaid);
  await page.goto("/activity?role=builder&range=7d");
  const views = page.getByRole("navigation", { name: "Activity views" });
  await views.getByRole("link", { name: /^Reconcile/ }).click();
  const requests = page.getByRole("row").filter({ hasText: "Unsettled" });
  await expect(requests).toHaveCount(50);
  await page.getByRole("link", { name: "Older", exact: true }).click();
  await expect(requests).toHaveCount(10);
  await page.getByRole("link", { name: "Newest", exact: true }).click();
  await expect(requests).toHaveCount(50);
  await views.getByRole("link", { name: "Errors" }).click();
  await expect(page).toHaveURL(/range=7d/);
});

test("the waterfall shows a failed settle in an otherwise successful trace @long", async ({
  page,
}) => {
  test.setTimeout(60_000);
  const account = await signInAsBuilder(page);
  const unpaid = { ...UNPAID, agentRequestId: `unpaid-${crypto.randomUUID()}` };
  await report(account, [unpaid]);
  await page.goto(`/activity/${unpaid.agentRequestId}`);
  await expect(page.getByText("You delivered this call. It is not paid yet.")).toBeVisible();
  const spans = page.getByRole("table", { name: "Verify, work and settle of this request" });
  await expect(
    spans.getByRole("rowheader", { name: /^settle ?, payment is not confirmed/ }),
  ).toBeVisible();
  await expect(spans.getByRole("rowheader", { name: /^verify ?, starts at 0 ms/ })).toBeVisible();
  await expect(spans.getByText("Agent, linked by request ID")).toBeVisible();
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await expectNoAxeFindings(page);
    await takePicture(page, `activity-trace-unpaid-${colorScheme}`);
  }
});

test("the list shows new calls live, and Space pauses it", async ({ page }) => {
  test.setTimeout(60_000);
  const account = await signInAsBuilder(page);
  await report(account, SEEN);
  await page.goto("/activity");
  await expect(rows(page)).toHaveCount(SEEN.length);
  await report(account, [{ httpStatus: 402, moneyStatus: "challenged" }]);
  await expect(rows(page)).toHaveCount(SEEN.length + 1, { timeout: 10_000 });

  await page.getByRole("heading", { level: 1 }).focus();
  await page.keyboard.press("Space");
  const tail = page.getByRole("switch", { name: "Live tail" });
  await expect(tail).not.toBeChecked();
  // Another range keeps the focus where it was pressed, and the tail paused.
  const week = page.getByRole("navigation", { name: "Time" }).getByRole("link", { name: "7 d" });
  await week.click();
  await expect(page).toHaveURL(/range=7d/);
  await expect(foot(page, "in the last 7 days")).toBeVisible();
  await expect(week).toBeFocused();
  await expect(tail).not.toBeChecked();
  // A second page with live tail shows the new request; the paused one does not.
  const tailing = await page.context().newPage();
  await tailing.goto("/activity");
  await expect(rows(tailing)).toHaveCount(SEEN.length + 1);
  await report(account, [{ httpStatus: 402, moneyStatus: "challenged" }]);
  await expect(rows(tailing)).toHaveCount(SEEN.length + 2, { timeout: 10_000 });
  await tailing.close();
  await expect(rows(page)).toHaveCount(SEEN.length + 1);
  await page.getByRole("heading", { level: 1 }).focus();
  await page.keyboard.press("Space");
  await expect(tail).toBeChecked();
  await expect(rows(page)).toHaveCount(SEEN.length + 2, { timeout: 10_000 });
});

test("the keyboard moves through rows and the panel, and the URL names the open row @long", async ({
  page,
}) => {
  test.setTimeout(60_000);
  const account = await signInAsBuilder(page);
  await report(account, SEEN);
  await page.goto("/activity");
  await expect(rows(page)).toHaveCount(SEEN.length);
  await page.getByRole("heading", { level: 1 }).focus();
  await page.keyboard.press("j");
  await expect(rows(page).nth(0).getByRole("link")).toBeFocused();
  await page.keyboard.press("j");
  await expect(rows(page).nth(1).getByRole("link")).toBeFocused();
  await page.keyboard.press("Enter");
  const panel = page.getByRole("dialog");
  await expect(panel.getByText("The agent asked for payment.")).toBeVisible();
  const second = page.url();
  await panel.getByRole("button", { name: "Next" }).click();
  await expect(panel.getByText("The payment was declined.")).toBeVisible();
  expect(page.url()).not.toBe(second);
  await page.keyboard.press("k");
  await expect(page).toHaveURL(second);
  await expectNoAxeFindings(page);
  await page.reload();
  await expect(page.getByRole("dialog").getByText("The agent asked for payment.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/open=/);
});

test("10,000 rows scroll smoothly, and only visible ones are rendered @long", async ({ page }) => {
  test.setTimeout(240_000);
  const account = await signInAsBuilder(page);
  const many = Array.from({ length: 10_000 }, (): Reported => SEEN[0] as Reported);
  await report(account, many);
  await page.goto("/activity");
  await expect(foot(page, "10,000 or more requests")).toBeVisible();
  await expect(async () => {
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await expect(foot(page, "10,000 of 10,000")).toBeVisible({ timeout: 100 });
  }).toPass({ timeout: 180_000, intervals: [50] });
  expect(await rows(page).count()).toBeLessThan(120);
  // Drag through the whole list in two seconds, with new rows in every frame, then scroll with the wheel.
  const dragged = await frameTimes(page, (height) => height / 120);
  const wheeled = await frameTimes(page, () => 120);
  const filtered = await filterTime(page);
  console.log(
    `10,000 rows: wheel median frame ${wheeled.median.toFixed(1)} ms, 95th ${wheeled.late.toFixed(1)} ms; ` +
      `dragged median ${dragged.median.toFixed(1)} ms, 95th ${dragged.late.toFixed(1)} ms; filter ${filtered} ms`,
  );
  expect(wheeled.median).toBeLessThan(1_000 / 55);
  expect(dragged.median).toBeLessThan(50);
});

/** Frame times while the page scrolls up from its end. */
async function frameTimes(page: Page, stepOf: (height: number) => number) {
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await expect
    .poll(() => page.evaluate(() => innerHeight + scrollY - document.body.scrollHeight))
    .toBeGreaterThanOrEqual(-1);
  const height = await page.evaluate(() => document.body.scrollHeight);
  const times = await page.evaluate(async (step) => {
    const times: number[] = [];
    let last = performance.now();
    for (let frame = 0; frame < 120; frame++) {
      window.scrollBy(0, -step);
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return times.sort((a, b) => a - b);
  }, stepOf(height));
  return { median: times[60] ?? 0, late: times[114] ?? 0 };
}

/** The time from the click on a filter to the frame that shows its rows, in ms: as the page counts it, without the driver. */
async function filterTime(page: Page): Promise<number> {
  const link = page.getByRole("navigation", { name: "Time" }).getByRole("link", { name: "7 d" });
  await link.scrollIntoViewIfNeeded();
  const time = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const look = (start: number, now: number) => {
          const isShown = document.body.textContent.includes("in the last 7 days");
          if (isShown) resolve(Math.round(now - start));
          else requestAnimationFrame((later) => look(start, later));
        };
        document.addEventListener("click", ({ timeStamp }) => look(timeStamp, timeStamp), {
          capture: true,
          once: true,
        });
      }),
  );
  await link.click();
  return time;
}

test("another account’s requests are not found @long", async ({ page }) => {
  test.setTimeout(60_000);
  const requestId = await payOnce();
  await signInAfresh(page);
  const response = await page.goto(`/activity/${requestId}`);
  expect([200, 404]).toContain(response?.status());
  await expect(page.getByText("Request not found")).toBeVisible();
  await page.goto("/activity/no");
  await expect(page.getByText("Request not found")).toBeVisible();
  expect((await page.goto("/receipts/no-such-receipt"))?.status()).toBe(404);
});

test("a new account sees both ways to start", async ({ page }) => {
  test.setTimeout(90_000);
  await signInAfresh(page);
  await page.goto("/home");
  for (const title of [
    "Set a price",
    "Register your agent",
    "Make a paid call",
    "Choose a plan",
    "Set a limit",
    "Make a call",
  ]) {
    await expect(page.getByRole("heading", { name: title })).toBeVisible();
  }
  await expect(page.getByText("Needs attention")).toHaveCount(0);
});

test("the checklist completes steps only from the service's data @long", async ({ page }) => {
  test.setTimeout(60_000);
  const account = await signInAsBuilder(page);
  await page.goto("/home");
  const step = (name: string | RegExp) => page.getByRole("listitem").filter({ hasText: name });
  await expect(step("Set a price")).toHaveAttribute("data-done", "true");
  await expect(step(/(Register|Check) your agent/)).not.toHaveAttribute("data-done", "true");
  await report(account, [{ httpStatus: 402, moneyStatus: "challenged" }]);
  await expect(step(/(Register|Check) your agent/)).toHaveAttribute("data-done", "true", {
    timeout: 15_000,
  });
  await expect(step("Make a paid call")).not.toHaveAttribute("data-done", "true");
  await expect(page.getByText("2 of 3 done")).toBeVisible();
});

test.describe("when the service does not respond", () => {
  test.use({ mustNotComplain: false });

  test("the panel and the list report it and that nothing was charged @long", async ({ page }) => {
    test.setTimeout(90_000);
    const account = await signInAsBuilder(page);
    await report(account, SEEN);
    await page.route("**/data/**", (route) => route.abort());
    await page.goto("/activity?open=a-request-that-is-not-listed");
    await expect(
      page.getByRole("alert").filter({ hasText: "This request could not be loaded" }),
    ).toBeVisible({ timeout: 30_000 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await expectNoAxeFindings(page);
    }
    await page.keyboard.press("Escape");
    await expect(rows(page)).toHaveCount(SEEN.length);
    await expect(foot(page, "New requests can’t be loaded right now")).toBeVisible({
      timeout: 30_000,
    });
    await page.unroute("**/data/**");
    await expect(foot(page, "New requests can’t be loaded right now")).toHaveCount(0, {
      timeout: 30_000,
    });
  });

  test("Check all in Reconcile says that it could not check @long", async ({ page }) => {
    test.setTimeout(60_000);
    const account = await signInAsBuilder(page);
    await report(account, [{ ...UNPAID, agentRequestId: `unpaid-${crypto.randomUUID()}` }]);
    await page.goto("/activity/reconcile");
    await expect(page.getByRole("row").filter({ hasText: "Unsettled" })).toHaveCount(1);
    await page.route("**/data/**", (route) => route.abort());
    await page.getByRole("button", { name: "Check all" }).click();
    await expect(
      page.getByRole("alert").filter({ hasText: "The list could not be updated." }),
    ).toBeVisible({ timeout: 30_000 });
    await page.unroute("**/data/**");
    await page.getByRole("button", { name: "Check all" }).click();
    await expect(page.getByText("The list could not be updated.")).toHaveCount(0);
    // Nor is a write-off whose answer is lost the fault of its note.
    await page.route("**/activity/reconcile**", (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    );
    await page.getByRole("button", { name: "Write off" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Write off" }).click();
    await expect(
      dialog.getByRole("alert").filter({ hasText: "We don’t know yet whether this went through." }),
    ).toBeVisible();
    await expect(dialog.getByRole("textbox", { name: "Note" })).not.toHaveAttribute("aria-invalid");
  });

  test("a receipt that cannot be verified is not called invalid @long", async ({ page }) => {
    test.setTimeout(120_000);
    const requestId = await payOnce();
    const { builder } = await readSandbox();
    await expect(async () => {
      const record = await call<{ settlementId: string; chainStatus: string }>(
        builder.apiKey,
        `/requests/${requestId}`,
      );
      await page.goto(`/receipts/${record.settlementId}`);
      await expect(page.getByRole("button", { name: "Verify receipt" })).toBeVisible({
        timeout: 2_000,
      });
    }).toPass({ timeout: CHAIN_PATIENCE_MS });
    await page.route("**/burns", (route) => route.fulfill({ status: 503, json: {} }));
    await page.getByRole("button", { name: "Verify receipt" }).click();
    await expect(page.getByText("The receipt could not be verified")).toBeVisible();
    await page.route("**/.well-known/jwks.json", (route) => route.abort());
    await page.getByRole("button", { name: "Verify signature" }).click();
    await expect(page.getByText("The signature could not be verified")).toBeVisible();
    await expect(page.getByText("not valid")).toHaveCount(0);
  });
});
