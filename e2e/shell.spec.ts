import { readSandbox } from "./support/sandbox-file.ts";
import { signInAfresh, signInAsDemo } from "./support/sign-in.ts";
import { watchClipboard } from "./support/subscriber.ts";
import { expect, expectNoAxeFindings, takePicture, test } from "./support/test.ts";

test("a new account chooses what to do first, and Home remembers it", async ({ page }) => {
  await signInAfresh(page);
  await page.goto("/home");
  const lists = page.getByRole("region", { name: /your first call$/ });
  await expect(lists).toHaveCount(2);
  await takePicture(page, "home-start");
  await page.getByRole("button", { name: "Pay for agents" }).click();
  await expect(lists).toHaveCount(1);
  await page.reload();
  await expect(page.getByRole("region", { name: "Make your first call" })).toBeVisible();
  await expect(lists).toHaveCount(1);
  await page.getByRole("button", { name: "Show both" }).click();
  await expect(lists).toHaveCount(2);
});

test("the sandbox's menu adds test funds, and says what advancing the clock does first @long", async ({
  page,
}) => {
  await signInAfresh(page);
  await page.goto("/home");
  const menu = page.getByRole("button", { name: /^Sandbox/ });
  await menu.click();
  await expect(page.getByRole("menu")).toContainText(/Clock: \d+ \w+ \d{4} \d\d:\d\d:\d\d UTC/);
  await takePicture(page, "environment-menu");
  await page.getByRole("menuitem", { name: "Add test funds" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("1,000.00 test USDC");
  await dialog.getByRole("button", { name: "Add test funds" }).click();
  await expect(page.getByText("Your account has 1,000.00 test USDC")).toBeVisible();
  await expect(dialog).toHaveCount(0);

  await menu.click();
  await page.getByRole("menuitem", { name: "Advance clock" }).click();
  await dialog.getByText("30 days").click();
  await expect(dialog).toContainText("For everyone in this sandbox");
  await expect(dialog).toContainText("It can’t be turned back");
  await expectNoAxeFindings(page);
  await takePicture(page, "advance-clock");
  await dialog.getByRole("button", { name: "Keep current time" }).click();
  await expect(dialog).toHaveCount(0);
});

test("the address of Settings alone leads to the profile", async ({ page }) => {
  await signInAsDemo(page, "builder");
  await page.goto("/settings");
  await expect(page).toHaveURL("/settings/profile");
});

test("compact tables are remembered by the server @long", async ({ page }) => {
  await signInAsDemo(page, "builder");
  await page.goto("/plans");
  const cell = page.locator("tbody td").first();
  const heightOf = async () => (await cell.boundingBox())?.height ?? 0;
  const comfortable = await heightOf();
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitem", { name: "Compact tables" }).click();
  await expect(page.locator("[data-density=compact]")).toBeVisible();
  expect(await heightOf()).toBeLessThan(comfortable);
  expect(await (await page.request.get("/plans")).text()).toContain('data-density="compact"');
  await takePicture(page, "plans-compact");
});

test("a page's calls have its own IDs, and can be copied for a coding agent", async ({ page }) => {
  const { plans } = await readSandbox();
  const copied = await watchClipboard(page);
  await signInAsDemo(page, "builder");
  await page.goto(`/plans/${plans.crypto}`);
  await page.getByRole("button", { name: "Use the API" }).click();
  const panel = page.getByRole("dialog", { name: "Use the API" });
  await expect(panel.getByRole("heading", { name: "Get a plan" })).toBeVisible();
  await panel.getByRole("tab", { name: "cURL" }).first().click();
  await expect(panel).toContainText(`/api/v1/protocol/plans/${plans.crypto}`);
  await expectNoAxeFindings(page);
  await takePicture(page, "use-the-api");
  await panel.getByRole("button", { name: "Copy for coding agent" }).click();
  await expect(panel.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(copied.last()).toContain(`payments.plans.getPlan("${plans.crypto}")`);
  expect(copied.last()).toContain("TURNPIKE_API_KEY");
});

test("the server's HTML names the object in the breadcrumb and has no style attributes", async ({
  page,
}) => {
  const { plans, agent } = await readSandbox();
  await signInAsDemo(page, "builder");
  for (const path of [`/plans/${plans.crypto}`, `/agents/${agent.agentId}`, "/home", "/earnings"]) {
    const html = await (await page.request.get(path)).text();
    expect(html.match(/<[a-z][^>]*\sstyle="[^"]*"/g) ?? []).toEqual([]);
    // The heading of a page that is still loading comes first.
    const name = Array.from(html.matchAll(/<h1[^>]*>([^<]+)</g), ([, text]) => text).at(-1);
    const crumb = /aria-current="page" class="truncate[^"]*"><bdi>([^<]+)</g;
    const crumbs = Array.from(html.matchAll(crumb), ([, text]) => text);
    expect(crumbs).toContain(name);
  }
});

const LISTS = [
  "/alerts",
  "/approvals",
  "/balance",
  "/balance/payouts",
  "/balance/refunds",
  "/customers",
  "/settings/audit",
  "/subscriptions",
  "/tokens",
];
const OBJECTS = ["/subscriptions/zz", "/checkout/zz", "/plans/zz", "/agents/zz", "/activity/z%20z"];

test("a page of a list that no longer exists leads to the first @long", async ({ page }) => {
  await signInAsDemo(page, "builder");
  const { plans } = await readSandbox();
  for (const path of [...LISTS, `/plans/${plans.crypto}?tab=subscribers`]) {
    await page.goto(`${path}${path.includes("?") ? "&" : "?"}cursor=of-before`);
    await expect(page, path).toHaveURL(path);
    await expect(page.getByRole("alert").filter({ hasText: "could not be loaded" })).toHaveCount(0);
  }
});

test("a repeated search parameter is read once @long", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  for (const path of ["/subscriptions", "/delegations", "/tokens"]) {
    await page.goto(`${path}?q=a&q=b&show=active&show=all`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByRole("alert").filter({ hasText: "could not be loaded" })).toHaveCount(0);
  }
});

test.describe("a malformed id", () => {
  // The browser logs each 404.
  test.use({ mustNotComplain: false });

  test("is a page that is not found, not an error", async ({ page }) => {
    await signInAsDemo(page, "builder");
    for (const path of OBJECTS) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 }), path).toHaveText(/ not found$/);
    }
  });
});

test("the page of a link is prefetched once the pointer or the focus is on the link", async ({
  page,
}) => {
  await signInAsDemo(page, "builder");
  const prefetched: string[] = [];
  page.on("request", (request) => {
    if (request.headers()["next-router-prefetch"]) prefetched.push(new URL(request.url()).pathname);
  });
  await page.goto("/plans", { waitUntil: "networkidle" });
  const navigation = page.getByRole("navigation", { name: "Main" });
  await navigation.getByRole("link", { name: "Agents" }).hover();
  await expect.poll(() => prefetched).toContain("/agents");
  await navigation.getByRole("link", { name: "Customers" }).focus();
  await expect.poll(() => prefetched).toContain("/customers");
  expect([...new Set(prefetched)]).toEqual(["/agents", "/customers"]);
});

test("a list uses a wide screen @long", async ({ page }) => {
  await signInAsDemo(page, "builder");
  await page.setViewportSize({ width: 1_920, height: 1_000 });
  await page.goto("/plans");
  const box = await page.getByRole("table").boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeGreaterThan(1_860);
});

test.describe("a page that was opened before a deployment", () => {
  // The browser logs the refusal.
  test.use({ mustNotComplain: false });

  test("says that it is out of date, and reloads", async ({ page }) => {
    await signInAfresh(page);
    await page.goto("/settings/profile");
    // Another build has none of this page's actions.
    await page.route("**/settings/profile", (route) => {
      const headers = route.request().headers();
      const id = headers["next-action"];
      return route.continue(
        id ? { headers: { ...headers, "next-action": id.slice(0, 2).padEnd(id.length, "0") } } : {},
      );
    });
    await page.getByLabel("Name").fill("After the deployment");
    await page.getByRole("button", { name: "Save name" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "out of date" })).toContainText(
      "This page is out of date. Nothing was changed. Reload it.",
    );
    await page.unroute("**/settings/profile");
    await page.getByRole("button", { name: "Reload page" }).click();
    await expect(page.getByText("out of date")).toHaveCount(0);
    await expect(page.getByLabel("Name")).toHaveValue("");
  });
});
