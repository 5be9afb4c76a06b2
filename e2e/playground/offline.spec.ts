import type { Page } from "@playwright/test";
import { type AgentServer, serveAgent } from "../support/agent-servers.ts";
import { signInAsDemo } from "../support/sign-in.ts";
import { expect, test } from "../support/test.ts";

// The browser logs each failed fetch.
test.use({ mustNotComplain: false });

const SCRIPTS = "**/_next/static/**/*.js";
const agents: AgentServer[] = [];

test.afterAll(async () => {
  await Promise.all(agents.map(({ close }) => close()));
});

/** A free agent that counts its requests. */
async function freeAgent() {
  const seen = { times: 0 };
  const agent = await serveAgent((_request, response) => {
    seen.times += 1;
    response.end("hello");
  });
  agents.push(agent);
  return { address: `/playground?method=GET&url=${encodeURIComponent(agent.url)}`, seen };
}

/** Blocks prefetching, so that files are fetched when they are needed. */
const neverIdle = (page: Page) =>
  page.addInitScript(() => {
    window.requestIdleCallback = () => 0;
  });

const failures: string[] = [];
test.beforeEach(({ page }) => {
  failures.length = 0;
  page.on("pageerror", ({ message }) => failures.push(message));
});
test.afterEach(() => expect(failures).toEqual([]));

test("a run whose code cannot be loaded says so and sends nothing; the next run works", async ({
  page,
}) => {
  const { address, seen } = await freeAgent();
  await neverIdle(page);
  await signInAsDemo(page, "subscriber");
  await page.goto(address, { waitUntil: "networkidle" });
  const asked = { failed: 0, aborted: 0 };
  page.on("requestfailed", () => {
    asked.failed += 1;
  });
  await page.route(SCRIPTS, (route) => {
    asked.aborted += 1;
    return route.abort();
  });
  await page.getByTestId("pg-run").click();
  const timeline = page.getByRole("region", { name: "Timeline" });
  await expect(timeline.getByRole("alert")).toHaveText(
    "The run failedThe run could not be loaded, so nothing was sent. Check your connection and run again.",
  );
  expect(seen.times).toBe(0);
  await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-status", "idle");

  // The run has failed with its first file; the others must have failed too before they are asked for again.
  await page.unrouteAll({ behavior: "wait" });
  await expect.poll(() => asked.failed).toBe(asked.aborted);
  // The page learns of each a moment later.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-outcome", "not-gated");
  await expect(timeline.getByRole("alert")).toHaveCount(0);
  expect(seen.times).toBe(1);
});

test("a run can be stopped while its code is loading @long", async ({ page }) => {
  const { address, seen } = await freeAgent();
  await neverIdle(page);
  await signInAsDemo(page, "subscriber");
  await page.goto(address, { waitUntil: "networkidle" });
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route(SCRIPTS, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByTestId("pg-run").click();
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByText("You stopped the run before anything was sent.")).toBeVisible();
  release();
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-outcome", "not-gated");
  expect(seen.times).toBe(1);
});

test("a step that could not be loaded is shown after Retry @long", async ({ page }) => {
  const { address } = await freeAgent();
  await signInAsDemo(page, "subscriber");
  await page.goto(address);
  await page.getByTestId("pg-run").click();
  const inspector = page.getByRole("region", { name: "Inspector" });
  await expect(inspector.locator("code").last()).toHaveText("not-gated");

  await neverIdle(page);
  await page.reload({ waitUntil: "networkidle" });
  await page.route(SCRIPTS, (route) => route.abort());
  await page.getByRole("region", { name: "Recent runs" }).getByRole("button").nth(1).click();
  await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-outcome", "not-gated");
  const alert = inspector.getByRole("alert");
  await expect(alert).toContainText("The step could not be loaded");
  await page.unroute(SCRIPTS);
  await alert.getByRole("button", { name: "Retry" }).click();
  await expect(inspector.locator("code").last()).toHaveText("not-gated");
});
