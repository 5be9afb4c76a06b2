import { ERRORS, operations } from "@turnpike/payments/protocol";
import { sandbox as sandboxOperations } from "../lib/sandbox/operations.ts";
import { readGuides } from "../lib/server/guides.ts";
import { expectGoodLooks } from "./support/look.ts";
import { readSandbox } from "./support/sandbox-file.ts";
import { signInAsDemo } from "./support/sign-in.ts";
import { expect, test } from "./support/test.ts";

const GUIDES = readGuides().map(({ slug }) => `/docs/${slug}`);
const OPERATIONS = Object.keys({ ...operations, ...sandboxOperations }).map(
  (name) => `/docs/api/${name}`,
);
const ERROR_PAGES = Object.keys(ERRORS).map((code) => `/docs/errors/${code}`);
const PAGES = ["/docs", "/docs/api", "/docs/errors", ...GUIDES, ...OPERATIONS, ...ERROR_PAGES];

test("the search finds a guide, an operation and an error code, by keyboard alone", async ({
  page,
}) => {
  await page.goto("/docs");
  await expect(page.getByRole("button", { name: "Search docs" })).toBeEnabled();
  await page.keyboard.press("/");
  const field = page.getByPlaceholder("Search guides, operations and error codes");
  await expect(field).toBeFocused();
  await expect(page.getByRole("option", { name: /^Streaming/ })).toBeVisible();
  await field.fill("revoke token");
  await expect(page.getByRole("option", { name: /^revokeToken/ })).toBeVisible();
  await field.fill("rate_limited");
  await expect(page.getByRole("option", { name: /^rate_limited/ })).toBeVisible();
  await field.fill("quokkas");
  await expect(page.getByText("Nothing matches “quokkas”.")).toBeVisible();
  await field.fill("test cards");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/docs/testing#test-cards");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Test with the sandbox");
  const next = page.getByRole("navigation", { name: "Previous and next" }).getByRole("link").last();
  await next.click();
  await expect(page).not.toHaveURL(/testing/);
});

test("the API reference finds operations by name, path, method and summary @long", async ({
  page,
}) => {
  await page.goto("/docs/api");
  const shown = page.locator("article:visible h3 a");
  const all = await shown.count();
  expect(all).toBe(OPERATIONS.length);
  const field = page.getByRole("searchbox", { name: "Find an operation" });
  await field.fill("settle");
  await expect(shown.filter({ hasText: "settlePermissions" })).toBeVisible();
  await expect(shown.filter({ hasText: "createApiKey" })).toHaveCount(0);
  await field.fill("delete x402 token");
  await expect(shown).toHaveText(["revokeToken"]);
  await expect(page.getByText(`1 of ${all} operations`)).toBeVisible();
  await field.fill("quokkas");
  await expect(shown).toHaveCount(0);
  await expect(page.getByText("No operations match “quokkas”.")).toBeVisible();
});

test("an operation lists its fields, and the form sends a request to the sandbox @long", async ({
  page,
}) => {
  const { plans, builder } = await readSandbox();
  await page.goto("/docs/api/settlePermissions");
  await expect(page.getByText("x402AccessToken", { exact: true }).first()).toBeVisible();
  await expect(page.getByText("remainingBalance").first()).toBeVisible();
  await expect(page.getByRole("link", { name: "insufficient_balance" })).toBeVisible();
  await page.goto("/docs/api/getPlanBalance");
  await page.getByLabel("Path").fill(`/protocol/plans/${plans.crypto}/balance/${builder.address}`);
  await page.getByRole("button", { name: "Send request" }).click();
  await expect(page.getByRole("status").getByText("200").first()).toBeVisible();
  await expect(page.getByLabel("Response", { exact: true }).last()).toContainText(plans.crypto);
  await page.goto("/docs/api/createApiKey");
  await page.getByLabel("API key").fill(builder.apiKey);
  await page.getByRole("textbox", { name: "Body" }).fill("{ not json");
  await page.getByRole("button", { name: "Send request" }).click();
  await expect(page.getByText("The body is not valid JSON.")).toBeVisible();
});

test("an operation's form sends requests with a key, the reader's or one made there @long", async ({
  page,
}) => {
  const { builder, agent } = await readSandbox();
  const answer = page.getByLabel("Response", { exact: true }).last();
  await page.goto("/docs/api/listAgents");
  await page.getByLabel("API key").fill(` ${builder.apiKey} `);
  await page.getByRole("button", { name: "Send request" }).click();
  await expect(page.getByRole("status").getByText("200").first()).toBeVisible();
  await expect(answer).toContainText(agent.agentId);

  await page.goto("/docs/api/createApiKey");
  await page.getByLabel("API key").fill(builder.apiKey);
  await page
    .getByRole("textbox", { name: "Body" })
    .fill('{ "name": "From the docs", "durationSecs": 600 }');
  await page.getByRole("button", { name: "Send request" }).click();
  await expect(page.getByRole("status").getByText("200").first()).toBeVisible();
  await expect(answer).toContainText("svc-sandbox:");

  await signInAsDemo(page, "builder");
  await page.goto("/docs/api/listAgents");
  await page.getByRole("button", { name: "Create a key for an hour" }).click();
  await expect(page.getByLabel("API key")).not.toHaveValue("");
  await page.getByRole("button", { name: "Send request" }).click();
  await expect(answer).toContainText(agent.agentId);
});

test("every page of the documentation answers 200, and so does every link of it @long", async ({
  request,
  baseURL,
}) => {
  test.setTimeout(300_000);
  const links = new Set<string>();
  const missing: string[] = [];
  for (const path of PAGES) {
    const answer = await request.get(path);
    if (answer.status() !== 200) missing.push(`${path}: ${answer.status()}`);
    const text = await answer.text();
    for (const [, href = ""] of text.matchAll(/ href="([^"]+)"/g)) {
      const { origin, pathname } = new URL(href.replaceAll("&amp;", "&"), baseURL);
      if (origin === new URL(baseURL ?? "").origin && !pathname.startsWith("/_next/")) {
        links.add(pathname);
      }
      if (href.startsWith("#") && href.length > 1 && !text.includes(` id="${href.slice(1)}"`)) {
        missing.push(`${path} has no ${href}`);
      }
    }
  }
  for (const link of links) {
    if (PAGES.includes(link)) continue;
    const { status } = await request.get(link).then((answer) => ({ status: answer.status() }));
    if (status !== 200) missing.push(`${link}: ${status}`);
  }
  console.log(`docs: ${PAGES.length} pages, ${links.size} links, ${missing.length} missing`);
  expect(missing).toEqual([]);
});

test("every error code has its page, and answers link to it @long", async ({ request }) => {
  const answer = await request.get("/api/v1/no-such-path");
  const { code, docs } = await answer.json();
  expect(code).toBe("not_found");
  expect((await request.get(docs)).status()).toBe(200);
  for (const path of ERROR_PAGES) {
    const page = await request.get(path);
    expect(page.status(), path).toBe(200);
    const text = await page.text();
    for (const word of ["Cause.", "Remedy.", "Example"]) expect(text, path).toContain(word);
  }
  expect((await request.get("/docs/errors/no_such_code")).status()).toBe(404);
  console.log(`error pages: ${ERROR_PAGES.length} of ${Object.keys(ERRORS).length} codes`);
});

test("axe finds nothing, and nothing scrolls sideways @long", async ({ page }) => {
  test.setTimeout(240_000);
  for (const path of [
    "/docs",
    "/docs/concepts",
    "/docs/buying",
    "/docs/api/verifyPermissions",
    "/docs/errors/insufficient_balance",
  ]) {
    await page.goto(path);
    await expectGoodLooks(page, [320, 390, 768, 1280, 1440], `docs${path.replaceAll("/", "-")}`);
  }
});

test("guides and the reference are complete without JavaScript @long", async ({
  browser,
  baseURL,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL });
  const page = await context.newPage();
  await page.goto("/docs/api/settlePermissions");
  await expect(page.getByText("x402AccessToken", { exact: true }).first()).toBeVisible();
  await page.goto("/docs/selling");
  await expect(page.getByText("registerAgentAndPlan").first()).toBeVisible();
  await context.close();
});

test.describe("with a URL that returns 404", () => {
  test.use({ mustNotComplain: false });

  test("a missing page says so and links back @long", async ({ page }) => {
    const answer = await page.goto("/nowhere");
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
    await page.getByRole("link", { name: "Go to the home page" }).click();
    await expect(page).toHaveURL("/");
    expect((await page.goto("/docs/no-such-guide"))?.status()).toBe(404);
  });
});
