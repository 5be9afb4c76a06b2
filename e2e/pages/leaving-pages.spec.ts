import type { Page, Request } from "@playwright/test";
import { agentHost, sendJson } from "../support/agent-servers.ts";
import { untilHydrated } from "../support/hydrated.ts";
import { signInAfresh, signInAsDemo } from "../support/sign-in.ts";
import { type Market, openMarket, watchClipboard } from "../support/subscriber.ts";
import { expect, test } from "../support/test.ts";

const serve = agentHost(test);

let market: Market;

test.beforeAll(async () => {
  market = await openMarket();
});

/** Holds what the browser asks for, to open a page or of its script, until the function it returns is called. */
async function hold(page: Page, path: RegExp): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const opens = (request: Request) =>
    request.method() === "GET" && /[?&]_rsc=|\.js$/.test(request.url());
  await page.route(path, async (route) => {
    if (opens(route.request())) await held;
    await route.continue();
  });
  return release;
}

/** Opens a page as a link on this one would. */
const follow = (page: Page, path: string) =>
  page.evaluate((href) => {
    const { next } = window as unknown as { next: { router: { push: (href: string) => void } } };
    next.router.push(href);
  }, path);

test("Back to the tokens shows the one that was minted since", async ({ page }) => {
  await watchClipboard(page);
  await signInAfresh(page);
  await page.goto("/tokens");
  await untilHydrated(page);
  await expect(page.getByText("No access tokens yet")).toBeVisible();
  await follow(page, `/tokens/new?plan=${market.trial}`);
  await page.getByRole("button", { name: "Mint access token", exact: true }).click();
  // A token that was copied is left without a question.
  await page.getByRole("button", { name: "Copy token", exact: true }).click();
  await expect(page.getByText("Copied", { exact: true })).toBeVisible();
  await page.goBack();
  await page.waitForURL("**/tokens");
  await expect(page.getByRole("heading", { level: 1, name: "Tokens" })).toBeVisible();
  await expect(page.getByText("No access tokens yet")).toHaveCount(0);
});

test("a pressed button shows that its dialog is being fetched", async ({ page }) => {
  await signInAsDemo(page, "builder");
  await page.goto("/home");
  await untilHydrated(page);
  const release = await hold(page, /\/_next\/static\//);
  await page.getByRole("button", { name: "Search and commands" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-fetching");
  release();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expect(page.locator("html")).not.toHaveAttribute("data-fetching");
});

test("a link says that its page is on the way", async ({ page }) => {
  await signInAsDemo(page, "builder");
  await page.goto("/home");
  await untilHydrated(page);
  const release = await hold(page, /\/earnings/);
  const link = page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "Earnings" });
  await link.click();
  await expect(link.locator("[data-on-the-way]")).toBeAttached();
  release();
  await expect(page.getByRole("heading", { level: 1, name: "Earnings" })).toBeVisible();
  await expect(link.locator("[data-on-the-way]")).toHaveCount(0);
});

test("what is typed while search is loading opens no page", async ({ page }) => {
  await signInAsDemo(page, "builder");
  await page.goto("/home");
  await untilHydrated(page);
  const release = await hold(page, /\/_next\/static\//);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("gp");
  release();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expect(page).toHaveURL(/\/home$/);
});

test("a typed delegation is not left without a question", async ({ page }) => {
  await signInAfresh(page);
  await page.goto("/delegations/new");
  await untilHydrated(page);
  await page.getByLabel("Name").fill("Research bot");
  await page.getByRole("link", { name: "Home", exact: true }).first().click();
  await expect(page.getByRole("dialog")).toContainText("Leave without saving?");
  await page.getByRole("button", { name: "Stay" }).click();
  await expect(page.getByLabel("Name")).toHaveValue("Research bot");
  // One that was created is left without a question.
  await page.getByRole("button", { name: "Create delegation" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Research bot" })).toBeVisible();
  // Its end is written as in the list of tokens.
  await page.goto("/delegations");
  await expect(page.getByRole("row", { name: /Research bot/ })).toContainText(/in [67] d/);
});

test("a name that is too long is not cut, and one of spaces changes nothing", async ({ page }) => {
  await signInAfresh(page);
  await page.goto("/settings/profile");
  await untilHydrated(page);
  const name = page.getByLabel("Name");
  await name.fill("  ");
  await page.getByRole("button", { name: "Save name" }).click();
  await name.focus();
  await page.keyboard.insertText("x".repeat(81));
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByText("Use at most 80 characters.")).toBeVisible();
  await expect(name).toHaveValue(/x{81}/);
});

test("Back steps back in the registration of an agent, and a reload stays", async ({ page }) => {
  await signInAfresh(page);
  const { url } = await serve((request, response) => {
    if (request.url !== "/openapi.json") return void response.writeHead(402).end();
    const info = { title: "Reader", version: "1" };
    sendJson(response, { openapi: "3.1.0", info, paths: { "/ask": { post: {} } } });
  });
  const heading = (step: string) => page.locator(`[data-step-heading="${step}"]`);
  await page.goto("/agents");
  await page.goto("/agents/new");
  await untilHydrated(page);
  await page.getByLabel("Agent URL").fill(`${url}/openapi.json`);
  await page.getByLabel("Agent URL").press("Enter");
  for (const step of ["access", "plans"]) {
    await page.getByRole("button", { name: `Continue to ${step}` }).click();
    await expect(heading(step)).toBeFocused();
  }
  await page.reload();
  await expect(page.getByRole("button", { name: "Continue to review" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("button", { name: "Continue to plans" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("button", { name: "Continue to access" })).toBeVisible();
  await page.goBack();
  await expect(page.getByLabel("Agent URL")).toHaveValue(`${url}/openapi.json`);
});

test("paying keeps the page in sight until the order is shown", async ({ page }) => {
  await signInAfresh(page);
  await page.goto(`/checkout/${market.crypto}`);
  await untilHydrated(page);
  const pay = page.getByRole("button", { name: /^Pay / });
  await expect(pay).toBeVisible();
  const seen = page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        new MutationObserver(() => {
          const [form, order] = ["[aria-label='Loading the order']", "[data-order-state]"];
          if (document.querySelector(form)) resolve("skeleton");
          else if (document.querySelector(order)) resolve("order");
        }).observe(document.body, { subtree: true, childList: true });
      }),
  );
  await pay.click();
  expect(await seen).toBe("order");
});
