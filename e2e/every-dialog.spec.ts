import type { Page } from "@playwright/test";
import { untilHydrated } from "./support/hydrated.ts";
import { loadedWorld, type PageIds } from "./support/loaded-world.ts";
import { SCHEMES, wcagFindings } from "./support/look.ts";
import { signInAsDemo } from "./support/sign-in.ts";
import { expect, takePicture, test } from "./support/test.ts";

const RUN_TIMEOUT_MS = 45_000;

type Press = { role?: "button" | "link" | "menuitem" | "tab"; name: string | RegExp };
type Row = {
  name: string;
  path: (ids: PageIds) => string;
  /** Buttons to press in order; the last one opens it. */
  press: Press[];
  width?: number;
  /** Whether a paid call runs first. */
  afterRun?: true;
};

const row = (name: string, path: Row["path"] | string, ...press: (string | RegExp)[]): Row => ({
  name,
  path: typeof path === "string" ? () => path : path,
  press: press.map((one) => ({ name: one })),
});
const menuThenItem = (button: string | RegExp, item: string | RegExp): Press[] => [
  { name: button },
  { role: "menuitem", name: item },
];

const BUILDER: Row[] = [
  row("account menu", "/home", /^Account /),
  row("command menu", "/home", "Search and commands"),
  { ...row("navigation", "/home", "Open navigation"), width: 375 },
  row("new key", "/settings/api-keys", "Create key"),
  row("rotate key", "/settings/api-keys", /^Rotate/),
  row("revoke key", "/settings/api-keys", /^Revoke/),
  row("filters of activity", "/activity", "Filter"),
  { ...row("filter by customer", "/activity"), press: menuThenItem("Filter", /customer/i) },
  row("filters of plans", "/plans", "Filter"),
  row("unlink a plan", ({ agentId }) => `/agents/${agentId}/plans`, /^Unlink /),
  row("save a view", "/activity?money=settled", "Save view"),
  row("write off", "/activity/reconcile", "Write off"),
  row("discard a draft", "/plans/new", "Discard draft"),
  row("refund an order", ({ orderId }) => `/balance/orders/${orderId}`, "Refund"),
  row("unlist a plan", ({ planId }) => `/plans/${planId}?tab=settings`, "Unlist plan"),
  row("archive a plan", ({ planId }) => `/plans/${planId}?tab=settings`, "Archive plan"),
  row("archive an agent", ({ agentId }) => `/agents/${agentId}/settings`, "Archive agent"),
  { ...row("preview of a plan", "/plans/new", "Preview"), width: 800 },
  row("new rule of alerts", "/alerts", "New rule"),
  row("add an endpoint of webhooks", "/settings/webhooks", "Add endpoint"),
  row("use the API", "/plans", "Use the API"),
  { ...row("test funds", "/home"), press: menuThenItem(/^Sandbox/, "Add test funds") },
  { ...row("test clock", "/home"), press: menuThenItem(/^Sandbox/, "Advance clock") },
];
const SUBSCRIBER: Row[] = [
  row("revoke a delegation", "/delegations", "Revoke Nightly batch"),
  row("more for a delegation", "/delegations", "More for Nightly batch"),
  row("revoke all", "/delegations", "Revoke all"),
  row("revoke, on its page", ({ delegationId }) => `/delegations/${delegationId}`, "Revoke"),
  row("revoke a token", ({ tokenId }) => `/tokens/${tokenId}`, "Revoke"),
  row(
    "request a refund",
    ({ orderId, planId }) => `/checkout/${planId}/${orderId}`,
    "Request refund",
  ),
  row("add a card", "/payment-methods", "Add card"),
  row("remove a card", "/payment-methods", /^Remove /),
  { ...row("export a run", "/playground", "Export"), afterRun: true },
  { ...row("share a run", "/playground", "Share"), afterRun: true },
  {
    ...row("rename a run", "/playground"),
    press: menuThenItem(/^More for /, "Rename"),
    afterRun: true,
  },
  row("links of shared runs", "/playground", "Shared links"),
  // Comes last: this page asks before it is left.
  {
    ...row("leave a token that was not copied", ({ planId }) => `/tokens/new?plan=${planId}`),
    press: [{ name: "Mint access token" }, { role: "link", name: "All tokens" }],
  },
];

const surfaces = (page: Page) =>
  page.locator("[role=dialog], [role=alertdialog], [role=menu]").filter({ visible: true });

async function openRow(page: Page, ids: PageIds, { path, press, width, afterRun }: Row) {
  await page.setViewportSize({ width: width ?? 1280, height: 900 });
  await page.goto(path(ids));
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await untilHydrated(page);
  if (afterRun) {
    await page.getByTestId("pg-run").click();
    await expect(page.getByTestId("pg-money")).toHaveAttribute("data-money", "settled", {
      timeout: RUN_TIMEOUT_MS,
    });
  }
  for (const { role = "button", name } of press) {
    await page
      .getByRole(role, typeof name === "string" ? { name, exact: true } : { name })
      .first()
      .click();
  }
  await expect(surfaces(page).first()).toBeVisible();
}

for (const [who, rows] of [
  ["builder", BUILDER],
  ["subscriber", SUBSCRIBER],
] as const) {
  test(`open dialogs and menus of a ${who} have no axe violations @long`, async ({ page }) => {
    test.setTimeout(400_000);
    const ids = await loadedWorld();
    await signInAsDemo(page, who);
    // Before anything opens: text that is still fading in has too little contrast.
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    const wrong: string[] = [];
    for (const each of rows) {
      await test.step(each.name, () => openRow(page, ids, each));
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        for (const finding of await wcagFindings(page)) {
          wrong.push(`${each.name} ${colorScheme} ${finding}`);
        }
      }
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await takePicture(page, `open-${each.name.replaceAll(/[^a-z]+/g, "-")}`);
    }
    console.log(`every dialog: ${who}, ${rows.length} opened, ${wrong.length} findings`);
    expect(wrong).toEqual([]);
  });
}
