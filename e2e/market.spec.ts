import { randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments";
import { agentHost } from "./support/agent-servers.ts";
import { expectGoodLooks } from "./support/look.ts";
import { clientOf, readSandbox } from "./support/sandbox-file.ts";
import { dropSession, signInAsDemo } from "./support/sign-in.ts";
import { expect, test } from "./support/test.ts";

const WIDTHS = [320, 390, 1440, 1920];
const serve = agentHost(test);

/** An agent of the demo builder with one plan. */
async function offer(url: string, state: "listed" | "unlisted" | "draft" = "listed") {
  const { builder } = await readSandbox();
  const payments = clientOf(builder);
  const name = `Agent ${randomUUID().slice(0, 8)}`;
  const { agentId } = await payments.agents.registerAgent(
    { name, description: "Answers questions about filings." },
    { endpoints: [{ POST: url }] },
  );
  const { planId } = await payments.plans.registerCreditsPlan(
    { name: `Plan of ${name}` },
    getFreePriceConfig(),
    getFixedCreditsConfig(10n),
    { state: "draft" },
  );
  await payments.agents.addPlanToAgent(agentId, planId);
  if (state !== "draft") await payments.plans.updatePlan(planId, { state });
  return { payments, name, agentId, planId };
}

test("a visitor reads an agent's page: plans in one box, endpoints, figures, and a way to try it", async ({
  page,
}) => {
  const { agent, plans } = await readSandbox();
  await page.goto(`/a/${agent.agentId}`);
  await expect(page.getByRole("heading", { level: 1, name: "Reader" })).toBeVisible();
  await expect(page.getByText(agent.url).first()).toBeVisible();
  const endpoints = page.getByRole("region", { name: "Endpoints" }).getByRole("listitem");
  await expect(endpoints.filter({ hasText: agent.url }).first()).toContainText(
    /0\.01 USDC.*1 credit/,
  );
  const box = page.getByRole("group", { name: "Plan" });
  await expect(box.getByRole("radio")).not.toHaveCount(0);
  await box.getByRole("radio", { name: /^Starter by card/ }).check();
  await expect(page.getByRole("link", { name: /^Order Starter by card/ })).toHaveAttribute(
    "href",
    `/checkout/${plans.card}`,
  );
  await expect(page.getByRole("link", { name: "Try it" })).toHaveAttribute(
    "href",
    `/playground?${new URLSearchParams({ url: agent.url, method: "POST" })}`,
  );
  await expect(page.getByRole("region", { name: "Measured in the last 30 days" })).toBeVisible();
  await expect(page.locator('meta[property="og:title"]')).toHaveAttribute("content", /Reader/);
  await expectGoodLooks(page, WIDTHS, "agent-public");
});

test("cards on Explore lead with the price of a call and say when there are too few calls @long", async ({
  page,
}) => {
  const { name, planId, agentId } = await offer(`https://${randomUUID()}.example/ask`);
  await page.goto(`/explore?q=${encodeURIComponent(name)}`);
  await expect(page.getByText("Not enough calls yet: 0 of 20 in 30 days.")).toBeVisible();
  await expect(page.getByText("Not checked yet")).toBeVisible();
  await page.getByRole("link", { name, exact: true }).click();
  await page.waitForURL(`**/a/${agentId}`);
  await page.goto(`/p/${planId}`);
  // A free plan settles nowhere.
  await expect(page.getByText("Settlement: no payment")).toBeVisible();
  await expect(page.getByText(/Base Sepolia/)).toHaveCount(0);
  await page.goto("/explore");
  await expectGoodLooks(page, WIDTHS, "explore-market");
});

test("T29: agents without a listed plan and archived ones are not shown to anyone else", async ({
  page,
  request,
}) => {
  const { payments, agentId, planId } = await offer(`https://${randomUUID()}.example/ask`, "draft");
  const seen = async () => (await request.get(`/a/${agentId}`)).status();
  expect(await seen()).toBe(404);
  await payments.plans.updatePlan(planId, { state: "unlisted" });
  expect(await seen()).toBe(404);
  await payments.plans.updatePlan(planId, { state: "listed" });
  expect(await seen()).toBe(200);
  await payments.agents.archiveAgent(agentId);
  expect(await seen()).toBe(404);
  expect((await request.get("/a/not-an-id")).status()).toBe(404);
  await signInAsDemo(page, "builder");
  await page.goto(`/a/${agentId}`);
  await expect(page.getByText("Only you can see this page.")).toBeVisible();
});

test("an archived plan says so on its page and at the checkout, and what buyers keep @long", async ({
  page,
}) => {
  const { payments, planId } = await offer(`https://${randomUUID()}.example/ask`);
  await payments.plans.archivePlan(planId);
  await page.goto(`/p/${planId}`);
  await expect(page.getByText("This plan is archived and can’t be ordered.")).toBeVisible();
  await expect(page.getByText(/^Credits that were bought stay usable/)).toBeVisible();
  await expect(page.getByRole("link", { name: "Order plan" })).toHaveCount(0);
  await signInAsDemo(page, "subscriber");
  await page.goto(`/checkout/${planId}`);
  await expect(page.getByText("This plan is archived and can’t be ordered.")).toBeVisible();
  await expect(page.getByRole("button", { name: /^(Pay|Order|Start)/ })).toHaveCount(0);
});

test("a builder proves an agent's domain with a file, and the badge is shown and can be filtered @long", async ({
  page,
}) => {
  let file: object | null = null;
  const handle: RequestListener = (request, response) => {
    const isFile = request.url === "/.well-known/turnpike-agents.json";
    if (!isFile || !file) response.writeHead(404).end();
    else response.end(JSON.stringify(file));
  };
  const server = await serve(handle);
  const { host } = new URL(server.url);
  const { name, agentId, planId } = await offer(server.ask);
  await signInAsDemo(page, "builder");
  await page.goto(`/agents/${agentId}/settings`);
  const section = page.getByRole("region", { name: "Domain" });
  const check = section.getByRole("button", { name: "Check domain" });
  await check.click();
  await expect(section.getByText(`${host} is not verified yet.`)).toBeVisible();
  await expect(section.getByText(/answered 404/)).toBeVisible();
  file = { agents: ["7"] };
  await check.click();
  await expect(section.getByText(/does not list this agent/)).toBeVisible();
  file = { agents: ["7", agentId] };
  await check.click();
  await expect(section.getByText(`${host} has been verified since`)).toBeVisible();
  await expectGoodLooks(page, WIDTHS, "agent-domain");
  await dropSession(page);
  for (const path of [`/a/${agentId}`, `/p/${planId}`]) {
    await page.goto(path);
    await expect(page.getByText(`${host}, domain verified`).first()).toBeAttached();
  }
  await page.goto(`/explore?domain=verified&q=${encodeURIComponent(name)}`);
  await expect(page.getByText(host).first()).toBeVisible();
  file = null;
  await signInAsDemo(page, "builder");
  await page.goto(`/agents/${agentId}/settings`);
  await check.click();
  await expect(section.getByText(/^The proof was lost on/)).toBeVisible();
  await page.goto(`/a/${agentId}`);
  await expect(page.getByText(host, { exact: true })).toHaveCount(0);
});
