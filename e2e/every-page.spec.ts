import type { Browser, Page } from "@playwright/test";
import { breakableSandbox } from "./support/broken-sandbox.ts";
import { untilHydrated } from "./support/hydrated.ts";
import { emptyWorld, loadedWorld, type PageIds } from "./support/loaded-world.ts";
import { look, SCHEMES } from "./support/look.ts";
import { PAGES, type PageRow } from "./support/pages.ts";
import { DOCS_NAMES } from "./support/routes.ts";
import { readSandbox } from "./support/sandbox-file.ts";
import { signInAfresh, signInAsDemo } from "./support/sign-in.ts";
import { expect, takePicture, test } from "./support/test.ts";

// Each test walks the whole product on a separate page.
test.describe.configure({ mode: "parallel" });

/** The page's URL with the ids of a world; checkouts and subscriptions use the ordered plan. */
const pathOf = (route: string, ids: PageIds): string =>
  route.replace(
    /\[(\w+)\]/g,
    (_, name: string) => ({ ...ids, ...DOCS_NAMES })[name as keyof PageIds],
  );

const nameOf = (route: string, state: string): string =>
  `${route.replace(/[^a-zA-Z]+/g, "-").replace(/^-|-$/g, "") || "landing"}-${state}`;

/** With data, at every width that people look at and in both schemes; otherwise a phone's and a desktop's. */
async function takePictures(page: Page, name: string, isFull: boolean): Promise<void> {
  for (const colorScheme of isFull ? SCHEMES : SCHEMES.slice(0, 1)) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of isFull ? [390, 1440, 1920] : [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await takePicture(page, `${name}-${width}-${colorScheme}`);
    }
  }
}

/** A page in a separate context without a session. */
const aloneIn = async (browser: Browser, baseURL?: string): Promise<Page> =>
  (await browser.newContext(baseURL ? { baseURL } : {})).newPage();

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible({ timeout: 20_000 });
  await untilHydrated(page);
}

type Visit = { state: string; ids: PageIds; pageOf: (row: PageRow) => Page; withViews: boolean };

/** Opens every page in all its views, and fails with everything that is wrong. */
async function visitAll({ state, ids, pageOf, withViews }: Visit, check?: typeof saysItFailed) {
  const wrong: string[] = [];
  let visits = 0;
  for (const [route, row] of Object.entries(PAGES)) {
    const views = ["", ...(withViews ? (row.views ?? []) : [])];
    for (const view of views) {
      const page = pageOf(row);
      const path = pathOf(route, ids) + view;
      await open(page, path);
      const { pathname } = new URL(page.url());
      if (pathname !== path.split("?")[0]) wrong.push(`${path} led to ${pathname}`);
      visits += SCHEMES.length;
      if (check && row.reads && !(await check(page))) wrong.push(`${path} does not say it failed`);
      wrong.push(...(await look(page, path)));
      await takePictures(page, nameOf(route + view, state), withViews);
    }
  }
  console.log(
    `every page: ${state}, ${Object.keys(PAGES).length} routes, ${visits} visits, ${wrong.length} findings`,
  );
  expect(wrong).toEqual([]);
}

/** What a page reads may arrive after its heading. */
const saysItFailed = (page: Page): Promise<boolean> =>
  page
    .getByText(/could not be (read|loaded)|cannot be read/)
    .first()
    .waitFor({ timeout: 10_000 })
    .then(
      () => true,
      () => false,
    );

test("pages with data have no axe violations and fit every width @long", async ({
  page,
  browser,
}) => {
  test.setTimeout(600_000);
  const ids = await loadedWorld();
  const pages = {
    builder: page,
    subscriber: await aloneIn(browser),
    guest: await aloneIn(browser),
  };
  await signInAsDemo(pages.builder, "builder");
  await signInAsDemo(pages.subscriber, "subscriber");
  await visitAll({ state: "loaded", ids, pageOf: ({ who }) => pages[who], withViews: true });
  await pages.subscriber.context().close();
  await pages.guest.context().close();
});

test("pages of a new account have no axe violations and fit every width @long", async ({
  page,
  browser,
}) => {
  test.setTimeout(600_000);
  await signInAfresh(page);
  const ids = await emptyWorld(page);
  const guestPage = await aloneIn(browser);
  const pageOf = ({ who }: PageRow) => (who === "guest" ? guestPage : page);
  await visitAll({ state: "empty", ids, pageOf, withViews: false });
  await guestPage.context().close();
});

test.describe("when no data can be read", () => {
  const sandbox = breakableSandbox();

  test("every page says so, keeps its frame, has no axe violations and fits every width @long", async ({
    browser,
  }) => {
    test.setTimeout(600_000);
    const { plans, agent } = await readSandbox();
    const any = "00000000-0000-4000-8000-000000000000";
    const ids: PageIds = {
      planId: plans.crypto,
      agentId: agent.agentId,
      delegationId: any,
      orderId: any,
      tokenId: any,
      requestId: any,
      settlementId: any,
      shareId: any,
      disputeId: any,
      approvalId: any,
      address: (await readSandbox()).subscriber.address,
    };
    const page = await aloneIn(browser, sandbox().url);
    const guestPage = await aloneIn(browser, sandbox().url);
    await signInAsDemo(page, "builder");
    await sandbox().breakReads();
    const pageOf = ({ who }: PageRow) => (who === "guest" ? guestPage : page);
    await visitAll({ state: "error", ids, pageOf, withViews: false }, saysItFailed);
    await page.context().close();
    await guestPage.context().close();
  });

  test("Retry reloads data that can be read again @long", async ({ browser }) => {
    const context = await browser.newContext({ baseURL: sandbox().url });
    const page = await context.newPage();
    await signInAsDemo(page, "builder");
    const failed = page.getByRole("alert").filter({ hasText: /could not be (read|loaded)/ });
    for (const [path, what] of [
      ["/tokens", "No access tokens yet"],
      ["/plans", "Starter by card"],
    ] as const) {
      await sandbox().breakReads();
      await page.goto(path);
      await expect(failed).toBeVisible();
      await sandbox().mendReads();
      await page.getByRole("button", { name: "Retry" }).click();
      await expect(page.getByText(what).first()).toBeVisible();
      await expect(failed).toHaveCount(0);
    }
    await context.close();
  });
});
