import type { Page } from "@playwright/test";
import { type AgentServer, askForPayment, serveAgent } from "../support/agent-servers.ts";
import { payAs } from "../support/playground.ts";
import { clientOf, readSandbox } from "../support/sandbox-file.ts";
import { dropSession, signInAsDemo } from "../support/sign-in.ts";
import {
  expect,
  expectNoAxeFindings,
  expectNoSidewaysScroll,
  takePicture,
  test,
} from "../support/test.ts";

const MONEY_TIMEOUT_MS = 30_000;
const agents: AgentServer[] = [];

test.afterAll(async () => {
  await Promise.all(agents.map(({ close }) => close()));
});

async function run(page: Page): Promise<void> {
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-money")).toBeVisible({ timeout: MONEY_TIMEOUT_MS });
}

const history = (page: Page) => page.getByRole("region", { name: "Recent runs" });

async function choose(page: Page, run: string | RegExp, item: string): Promise<void> {
  await history(page).getByRole("button", { name: run }).last().click();
  await page.getByRole("menuitem", { name: item }).click();
}

async function renameRun(page: Page, name: string): Promise<void> {
  await choose(page, /^More for POST/, "Rename");
  const dialog = page.getByRole("dialog", { name: "Rename run" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("n".repeat(81));
  await dialog.getByRole("button", { name: "Rename run" }).click();
  await expect(dialog.getByText("Use at most 80 characters.")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  await dialog.getByRole("button", { name: "Rename run" }).click();
  await expect(dialog).toBeHidden();
}

/** An agent with a different price for every request. */
async function growingAgent(planId: string): Promise<AgentServer> {
  let asked = 0;
  const agent = await serveAgent((request, response) =>
    askForPayment(request, response, {
      planId,
      change: ({ accepts }) => {
        asked += 1;
        Object.assign((accepts as object[])[0] ?? {}, { amount: String(asked) });
      },
    }),
  );
  agents.push(agent);
  return agent;
}

test("runs can be pinned and renamed, and survive a reload", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  await page.goto("/playground");
  await run(page);
  await renameRun(page, "The good one");
  await choose(page, "More for The good one", "Pin");
  await run(page);
  await page.reload();
  await expect(history(page).getByText("2, kept in this browser")).toBeVisible();
  await history(page).getByRole("button", { name: "Clear" }).click();
  await expect(history(page).getByRole("button", { name: /Pinned: The good one/ })).toBeVisible();
  await expect(history(page).getByText("1, kept in this browser")).toBeVisible();
});

test("no run starts from a dialog’s keys @long", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  await page.goto("/playground");
  await payAs(page, "No one");
  await run(page);
  await choose(page, /^More for POST/, "Rename");
  const dialog = page.getByRole("dialog", { name: "Rename run" });
  let sent = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/playground/send")) sent += 1;
  });
  for (const keys of ["Control+Enter", "Shift+Enter"]) await dialog.press(keys);
  await dialog.press("Escape");
  await run(page);
  await expect(history(page).getByText("2, kept in this browser")).toBeVisible();
  expect(sent).toBe(1);
});

test("the runs of an account are gone once it signs out @long", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  await page.goto("/playground");
  await payAs(page, "No one");
  await run(page);
  await renameRun(page, "The earlier one");
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL((url) => url.pathname === "/");
  for (const role of ["builder", "subscriber"] as const) {
    await dropSession(page);
    await signInAsDemo(page, role);
    await page.goto("/playground");
    // The list is absent until the browser's runs have been read: a new run shows that they have.
    await payAs(page, "No one");
    await run(page);
    await expect(history(page).getByRole("button", { name: /^More for POST/ })).toBeVisible();
    await expect(history(page).getByText("1, kept in this browser")).toBeVisible();
    await expect(history(page).getByRole("button", { name: /The earlier one/ })).toHaveCount(0);
  }
});

test("a replay is compared with the original: envelope, reason, credits, latency @long", async ({
  page,
}) => {
  const { lab } = await readSandbox();
  const agent = await growingAgent(lab.plans.calls ?? "");
  await signInAsDemo(page, "subscriber");
  await page.goto(`/playground?method=POST&url=${encodeURIComponent(`${agent.url}/growing`)}`);
  await payAs(page, "No one");
  await run(page);
  const before = agent.seen.length;
  await choose(page, "More for POST /growing", "Replay");
  const compared = page.getByTestId("pg-compared");
  await expect(compared).toBeVisible({ timeout: MONEY_TIMEOUT_MS });
  expect(agent.seen.length).toBe(before + 1);
  await expect(compared.locator('[data-line="Payment status"]')).toHaveAttribute(
    "data-same",
    "true",
  );
  await expect(compared.locator("[data-line=Total]")).toContainText(/[+−]\d+ ms/);
  await expect(compared).toContainText('"amount": "1"');
  await expect(compared).toContainText('"amount": "2"');
  for (const width of [375, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoSidewaysScroll(page);
    await expectNoAxeFindings(page);
    await takePicture(page, `playground-compared-${width}`);
  }
});

test("the replay of a run that a pasted token paid asks for the token", async ({ page }) => {
  const { lab } = await readSandbox();
  await signInAsDemo(page, "subscriber");
  await page.goto(`/playground?method=POST&url=${encodeURIComponent(`${lab.url}/lab/ask`)}`);
  await payAs(page, "A token");
  await page.getByRole("textbox", { name: "Access token" }).fill("garbage");
  await run(page);
  const request = page.getByRole("form", { name: "Request" });
  await request.getByRole("tab", { name: "Body" }).click();
  await choose(page, /^More for POST/, "Replay");
  await expect(page.getByRole("combobox", { name: "Pay as" })).toHaveText("A token");
  await expect(page.getByText("Paste an access token, or choose another option.")).toBeVisible();
  await expect(history(page).getByText("1, kept in this browser")).toBeVisible();
  await takePicture(page, "playground-replay-asks");
});

test("two runs from the history can be compared @long", async ({ page }) => {
  const { subscriber, lab } = await readSandbox();
  await clientOf(subscriber).plans.orderPlan(lab.plans.calls ?? "");
  await signInAsDemo(page, "subscriber");
  await page.goto(`/playground?method=POST&url=${encodeURIComponent(`${lab.url}/lab/ask`)}`);
  await run(page);
  await expect(page.getByTestId("pg-money")).toHaveAttribute("data-money", "settled");
  await payAs(page, "A token");
  await page.getByRole("textbox", { name: "Access token" }).fill("garbage");
  await run(page);
  await expect(page.getByTestId("pg-money")).toHaveAttribute("data-money", "refused");
  await choose(page, /^More for POST/, "Compare with open run");
  const compared = page.getByTestId("pg-compared");
  await expect(compared.locator('[data-line="Payment status"]')).toHaveAttribute(
    "data-same",
    "false",
  );
  await expect(compared.locator("[data-line=Reason]")).toContainText("invalid_token");
  await expect(compared.locator('[data-line="Credits used"]')).toContainText("1");
  await takePicture(page, "playground-compared-two");
});

test("a link fills in method, URL, plan and agent, and runs nothing", async ({ page }) => {
  const sandbox = await readSandbox();
  const agent = await serveAgent((_request, response) => response.end("hello"));
  agents.push(agent);
  await signInAsDemo(page, "subscriber");
  await page.goto(
    `/playground?method=put&url=${encodeURIComponent(agent.url)}&plan=77&token=secret`,
  );
  const endpoint = page.getByRole("textbox", { name: "Endpoint" });
  await expect(endpoint).toHaveValue(agent.url);
  await expect(page.getByRole("combobox", { name: "Method" })).toHaveText("PUT");
  await page.getByRole("tab", { name: "Options" }).click();
  await expect(page.getByRole("textbox", { name: /^Plan/ })).toHaveValue("77");
  await page.waitForLoadState("networkidle");
  expect(agent.seen).toEqual([]);
  expect(await page.content()).not.toContain('value="secret"');

  await page.goto(`/playground?agent=${sandbox.agent.agentId}`);
  await expect(endpoint).toHaveValue(sandbox.agent.url);
  await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-status", "idle");
  await page.goto("/playground?agent=unknown");
  await expect(endpoint).toBeVisible();
});
