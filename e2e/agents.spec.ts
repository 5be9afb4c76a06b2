import type { RequestListener } from "node:http";
import type { Page } from "@playwright/test";
import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments";
import { agentHost, askForPayment, sendJson } from "./support/agent-servers.ts";
import { clientOf } from "./support/sandbox-file.ts";
import { clickDemo, signInAfresh, signInAsDemo } from "./support/sign-in.ts";
import { makeApiKey } from "./support/subscriber.ts";
import {
  expect as baseExpect,
  expectNoAxeFindings,
  expectNoSidewaysScroll,
  takePicture,
  test,
} from "./support/test.ts";

// Waiting for an agent takes longer than waiting for a page.
const expect = baseExpect.configure({ timeout: 30_000 });
const MIB = 1024 * 1024;
const serve = agentHost(test);

type Registered = { agentId: string; url: string; plans: string[] };

/** The demo builder's agent, read as its page reads it. */
async function readDemoAgent(page: Page): Promise<Registered> {
  const { items } = await page
    .context()
    .request.get("/data/listAgents?limit=100")
    .then((response) => response.json());
  const reader = items.find(
    (agent: { metadata: { main: { name: string } } }) => agent.metadata.main.name === "Reader",
  );
  const [endpoint] = reader.metadata.agent.endpoints;
  return {
    agentId: reader.agentId,
    plans: reader.plans,
    url: Object.values(endpoint)[0] as string,
  };
}

async function readPlanId(page: Page): Promise<string> {
  const { items } = await page
    .context()
    .request.get("/data/listPlans?limit=100")
    .then((response) => response.json());
  return items.find((plan: { scheme: string; state: string }) => plan.scheme === "svc:erc4337")
    .planId;
}

/** Enters the URL and waits for its discovery. */
async function check(page: Page, url: string): Promise<void> {
  await page.goto("/agents/new");
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await page.getByLabel("Agent URL").fill(url);
  await page.getByLabel("Agent URL").press("Enter");
}

const rowOf = (page: Page, endpoint: string) => page.locator(`tr[data-endpoint="${endpoint}"]`);
const OPENAPI = {
  openapi: "3.1.0",
  info: { title: "Filings reader", version: "1.4.0" },
  paths: {
    "/v1/sound": { post: {} },
    "/v1/free": { get: {} },
    "/v1/post-only": { get: {} },
    "/v1/no-envelope": { post: {} },
    "/v1/wrong-place": { post: {} },
    "/v1/redirect": { get: {} },
    "/v1/members": { get: {} },
    "/v1/silent": { get: {} },
    "/v1/bomb": { get: {} },
    "/v1/filings/{cik}/summary": { get: {} },
    "/health": { get: {} },
  },
};

/** An agent with every fault that a probe distinguishes. */
function manyFaults(planId: string): RequestListener {
  return (request, response) => {
    const pay = (change?: (envelope: Record<string, unknown>) => void) =>
      askForPayment(request, response, { planId, ...(change && { change }) });
    switch (`${request.method} ${request.url}`) {
      case "GET /openapi.json":
        return sendJson(response, OPENAPI);
      case "POST /v1/sound":
      case "POST /v1/post-only":
      case "GET /v1/filings/1/summary":
      case "GET /v1/filings/text/summary":
        return pay();
      case "GET /v1/free":
      case "GET /health":
        return sendJson(response, { answer: 42 });
      case "POST /v1/no-envelope":
        return response.writeHead(402).end();
      case "POST /v1/wrong-place":
        return pay((one) => Object.assign(one.resource as object, { httpVerb: "POST" }));
      case "GET /v1/redirect":
        return response.writeHead(302, { location: "http://169.254.169.254/" }).end();
      case "GET /v1/members":
        return response.writeHead(401).end();
      case "GET /v1/silent":
        return request.socket.destroy();
      case "GET /v1/bomb": {
        response.writeHead(200);
        return response.end(Buffer.alloc(8 * MIB));
      }
      default:
        return response.writeHead(request.url === "/v1/post-only" ? 405 : 404).end();
    }
  };
}

test.describe("registering an agent", () => {
  test.slow();

  test("goes from a pasted URL to a verified 402 in a few clicks", async ({ page, context }) => {
    await signInAsDemo(page, "builder");
    // The demo's agent has its endpoint under another name of this machine.
    const url = (await readDemoAgent(page)).url.replace("localhost", "127.0.0.1");
    await page.goto("/home");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    // With the five clicks of a template plan, the whole path stays under 14 clicks.
    let clicks = 0;
    const click = async (name: string | RegExp, role: "button" | "link" = "button") => {
      clicks += 1;
      await page.getByRole(role, { name }).first().click();
    };
    const start = Date.now();
    await click("Agents", "link");
    await click("Register an agent", "link");
    await page.getByLabel("Agent URL").focus();
    await page.evaluate((text) => navigator.clipboard.writeText(text), url);
    await page.keyboard.press("Control+v");
    await click("Probe all");
    const row = rowOf(page, `POST ${url}`);
    await expect(row).toHaveAttribute("data-probe", "ready");
    await expect(row).toContainText(/402 in \d+ ms/);
    await click("Open Review and register");
    // The agent's offered plans are preselected, and its endpoints come from its document.
    await expect(page.getByText("3 paid endpoints, 0 free")).toBeVisible();
    await expect(page.getByText("0 errors, 0 warnings.")).toBeVisible();
    await click("Register agent");
    await expect(page.getByText("The agent is registered.")).toBeVisible({ timeout: 30_000 });
    const agentId = new URL(page.url()).pathname.split("/")[2] ?? "";
    await expect(page.getByRole("tabpanel")).toContainText(agentId);
    await click("Run checks", "link");
    await click("Run checks");
    await expect(page.locator('[data-check="D02"]').first()).toHaveAttribute("data-state", "pass", {
      timeout: 60_000,
    });
    expect(clicks).toBeLessThanOrEqual(7);
    expect(Date.now() - start).toBeLessThan(180_000);
    console.log(
      `Registered and verified with ${clicks} clicks in ${Math.round((Date.now() - start) / 1000)} s.`,
    );
    await expect(page.getByTestId("check-counts")).toBeVisible({ timeout: 60_000 });
    await takePicture(page, "agent-checks-light");
  });

  test("shows every probe outcome, and copies faults as a prompt @long", async ({
    page,
    context,
  }) => {
    await signInAsDemo(page, "builder");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const planId = await readPlanId(page);
    const { url, seen } = await serve(manyFaults(planId));
    await check(page, `${url}/openapi.json`);
    await expect(page.getByText("11 found, 10 paid, 1 free")).toBeVisible();
    await page.getByRole("checkbox", { name: `Include GET ${url}/health` }).check();
    await page.getByRole("button", { name: "Probe all" }).click();
    await expect(page.getByText("11 of 11 probed")).toBeVisible({ timeout: 60_000 });
    const expected: [endpoint: string, result: string, word: string, seen: RegExp][] = [
      ["POST /v1/sound", "ready", "Ready", /402 in/],
      ["GET /v1/filings/{cik}/summary", "ready", "Ready", /402 in/],
      ["GET /v1/free", "free", "Responds without payment", /200 in .*D02/],
      ["GET /v1/post-only", "wrong-method", "Wrong method", /405 in/],
      ["POST /v1/no-envelope", "bad-envelope", "Bad envelope", /402 in .*D03/],
      ["POST /v1/wrong-place", "bad-envelope", "Bad envelope", /402 in .*D06/],
      ["GET /v1/redirect", "unreachable", "Not reachable", /302 in/],
      ["GET /v1/members", "unreachable", "Not reachable", /401 in/],
      ["GET /v1/silent", "unreachable", "Not reachable", /No response/],
      ["GET /v1/bomb", "free", "Responds without payment", /200 in/],
    ];
    for (const [endpoint, result, word, text] of expected) {
      const [verb, path] = endpoint.split(" ");
      const row = rowOf(page, `${verb} ${url}${path}`);
      await expect(row, endpoint).toHaveAttribute("data-probe", result);
      await expect(row).toContainText(word);
      await expect(row).toContainText(text);
    }
    await expect(page.getByText("8 endpoints are not ready to be paid.")).toBeVisible();
    expect(seen.some((one) => one.includes("169.254"))).toBe(false);
    await takePicture(page, "agent-new-light");
    await expectNoAxeFindings(page);
    await expectNoSidewaysScroll(page);

    await page.getByRole("button", { name: "Copy fix prompt", exact: true }).click();
    const prompt = await page.evaluate(() => navigator.clipboard.readText());
    expect(prompt).toContain("D06 (error): httpVerb is in resource");
    expect(prompt).toContain(`POST ${url}/v1/no-envelope`);
    expect(prompt).not.toContain("svc-sandbox:");

    // One click switches to the method that requires payment.
    const row = rowOf(page, `GET ${url}/v1/post-only`);
    await row.getByRole("button", { name: "Use POST" }).click();
    await expect(rowOf(page, `POST ${url}/v1/post-only`)).toHaveAttribute("data-probe", "none");

    await page.getByLabel("Try a URL").fill(`${url}/v1/filings/0000320193/summary`);
    await expect(page.getByText("Row 10")).toBeVisible();
    await expect(page.getByText("{cik} = 0000320193")).toBeVisible();
    await page.getByLabel("Try a URL").fill(`${url}/v2/nothing`);
    await expect(page.getByText("No endpoint matches: the request is not charged.")).toBeVisible();
  });

  test("explains why a URL is blocked @long", async ({ page }) => {
    await signInAsDemo(page, "builder");
    for (const [url, reason] of [
      ["http://169.254.169.254/latest/meta-data", "not on the public internet"],
      ["http://192.168.0.1/", "not on the public internet"],
      ["https://user:secret@agent.example/", "Enter the full URL"],
      ["file:///etc/passwd", "Enter the full URL"],
    ] as const) {
      await check(page, url);
      await expect(page.getByText(reason)).toBeVisible({ timeout: 20_000 });
    }
  });

  test("an agent without a document is entered manually, and Turnpike hosts one @long", async ({
    page,
  }) => {
    await signInAsDemo(page, "builder");
    const planId = await readPlanId(page);
    const { url } = await serve((request, response) => {
      if (request.url?.startsWith("/jobs/")) askForPayment(request, response, { planId });
      else response.writeHead(404).end();
    });
    await check(page, url);
    await expect(
      page.getByText("No definition found. Turnpike hosts one for this agent."),
    ).toBeVisible({
      timeout: 20_000,
    });
    await page.getByLabel("Name").fill("By hand");
    await page.getByRole("button", { name: "Continue to endpoints" }).click();
    await page.getByRole("button", { name: "Add endpoint" }).click();
    await page.getByLabel("URL of the endpoint").fill(`${url}/jobs/:id`);
    await page.getByRole("button", { name: "Probe all" }).click();
    await expect(rowOf(page, `POST ${url}/jobs/:id`)).toHaveAttribute("data-probe", "ready");
    await page.getByRole("button", { name: "Back to definition" }).click();
    await expect(page.getByLabel("Definition URL")).toHaveValue(/\/:agentId\/openapi\.json$/);
    // The draft survives navigation.
    await page.goto("/plans");
    await page.goto("/agents/new");
    await expect(rowOf(page, `POST ${url}/jobs/:id`)).toBeVisible();
    // A plan is found among many by typing, and can be taken out again.
    await page.getByRole("button", { name: "Open Plans" }).click();
    await page.getByRole("button", { name: "Add a plan" }).click();
    await page.getByPlaceholder("Search").last().fill("by card");
    await page.getByRole("option", { name: /^Starter by card/ }).click();
    await page.getByRole("button", { name: "Remove Starter by card" }).click();
    await expect(page.getByRole("button", { name: "Remove Starter by card" })).toHaveCount(0);
    await page.getByRole("button", { name: "Open Endpoints" }).click();
    await page.getByRole("button", { name: "Discard draft" }).click();
    await page.getByRole("button", { name: "Keep it" }).click();
    await expect(rowOf(page, `POST ${url}/jobs/:id`)).toBeVisible();
    await page.getByRole("button", { name: "Discard draft" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard draft" }).click();
    await expect(page.getByLabel("Agent URL")).toHaveValue("");
  });

  test("credentials are sent to the agent and never returned @long", async ({ page }) => {
    await signInAsDemo(page, "builder");
    const planId = await readPlanId(page);
    const secret = `s3cret-${Date.now()}`;
    const { url } = await serve((request, response) => {
      const { authorization } = request.headers;
      if (authorization !== `Bearer ${secret}`) response.writeHead(401).end();
      else askForPayment(request, response, { planId });
    });
    await check(page, `${url}/ask`);
    await page.getByRole("button", { name: "Continue to access" }).click();
    await page.getByRole("radio", { name: "Bearer" }).check();
    await page.getByRole("button", { name: "Continue to plans" }).click();
    await expect(page.getByText("Enter a token.")).toBeVisible();
    await page.getByLabel("Token", { exact: true }).fill(secret);
    await page.getByRole("button", { name: "Back to endpoints" }).click();
    await page.getByRole("button", { name: "Probe all" }).click();
    await expect(rowOf(page, `GET ${url}/ask`)).toHaveAttribute("data-probe", "ready");
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(secret);
    await page.getByRole("button", { name: "Open Definition" }).click();
    await page.getByLabel("Name").fill("Behind a login");
    await page.getByRole("button", { name: "Open Review and register" }).click();
    await page.getByRole("button", { name: "Register agent" }).click();
    await expect(page.getByText("The agent is registered.")).toBeVisible({ timeout: 30_000 });
    const base = new URL(page.url()).pathname.replace(/\/code$/, "");
    for (const tab of ["", "/endpoints", "/plans", "/code", "/settings"]) {
      const html = await page
        .context()
        .request.get(base + tab)
        .then((response) => response.text());
      expect(html).not.toContain(secret);
    }
    // Changing other fields keeps the credentials.
    await page.goto(`${base}/settings`);
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Behind its login");
    await page.getByRole("button", { name: "Save agent" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Behind its login");
    await expect(page.getByLabel("Token", { exact: true })).toHaveAttribute(
      "placeholder",
      "Saved; type to replace",
    );
  });
});

test("untrusted text is always shown as text", async ({ page }) => {
  test.slow();
  await signInAsDemo(page, "builder");
  const planId = await readPlanId(page);
  const hostile = `<img src=x onerror="document.title='owned'">"'\`\${7*7}javascript:alert(1)`;
  const { url } = await serve((request, response) => {
    if (request.url === "/openapi.json") {
      sendJson(response, {
        openapi: "3.1.0",
        info: { title: hostile, version: hostile, description: hostile },
        paths: {
          [`/${encodeURIComponent(hostile)}/{${hostile.slice(0, 8)}}`]: {
            get: { summary: hostile },
          },
          "/ask": { get: {} },
        },
      });
    } else {
      askForPayment(request, response, {
        planId,
        change: (one) =>
          Object.assign(one.resource as object, { description: hostile, url: hostile }),
      });
    }
  });
  await check(page, `${url}/openapi.json`);
  await page.getByRole("button", { name: "Probe all" }).click();
  await expect(rowOf(page, `GET ${url}/ask`)).toHaveAttribute("data-probe", "bad-envelope");
  await page.getByRole("button", { name: "Open Review and register" }).click();
  await page.getByRole("checkbox", { name: /Register with/ }).check();
  await page.getByRole("button", { name: "Register agent" }).click();
  await expect(page.getByText("The agent is registered.")).toBeVisible({ timeout: 30_000 });
  const base = new URL(page.url()).pathname.replace(/\/code$/, "");
  for (const tab of ["", "/endpoints", "/plans", "/checks", "/code", "/settings"]) {
    await page.goto(base + tab);
    await expect(page.getByRole("heading", { level: 1 })).toContainText("<img src=x");
    expect(await page.locator("main img").count()).toBe(0);
    expect(await page.title()).not.toBe("owned");
    await expectNoSidewaysScroll(page);
  }
});

test("a builder switches the daily check on, reads the last run, and switches it off", async ({
  page,
}) => {
  await signInAfresh(page);
  const client = clientOf({ apiKey: await makeApiKey(page) });
  const { url } = await serve((_, response) => sendJson(response, {}));
  const { agentId } = await client.agents.registerAgent(
    { name: "Rates" },
    { endpoints: [{ POST: `${url}/ask` }] },
  );
  await page.goto(`/agents/${agentId}/checks`);
  const section = page.getByRole("region", { name: "Daily check" });
  const daily = section.getByRole("switch", { name: "Check this agent every day" });
  await expect(daily).not.toBeChecked();
  await expect(section).toContainText("Not scheduled");
  await daily.click();
  await expect(daily).toBeChecked();
  await expect(section).not.toContainText("Not scheduled");
  await expect(page.getByText("Not checked yet")).toBeVisible();
  await page.getByRole("button", { name: "Run checks" }).click();
  await expect(section).toContainText(/of \d+ checks passed/);
  await page.reload();
  await expect(daily).toBeChecked();
  await expect(page.getByText("Not checked yet")).toHaveCount(0);
  await expectNoAxeFindings(page);
  await expectNoSidewaysScroll(page);
  await takePicture(page, "agent-daily-check");
  await daily.click();
  await expect(section).toContainText("Not scheduled");
});

test("a builder sees their agent's unlisted, draft and archived plans on its pages", async ({
  page,
}) => {
  await signInAfresh(page);
  const { agents, plans } = clientOf({ apiKey: await makeApiKey(page) });
  const sell = async (name: string, state: "unlisted" | "draft" | "listed") =>
    (
      await plans.registerCreditsPlan({ name }, getFreePriceConfig(), getFixedCreditsConfig(10n), {
        state,
      })
    ).planId;
  const names = ["By link", "Not ready", "Of last year"];
  const planIds = [
    await sell("By link", "unlisted"),
    await sell("Not ready", "draft"),
    await sell("Of last year", "listed"),
  ];
  const { agentId } = await agents.registerAgent(
    { name: "Rates" },
    { endpoints: [{ POST: "https://rates.example/ask" }] },
    planIds,
  );
  await plans.archivePlan(planIds[2] ?? "");
  await page.goto(`/agents/${agentId}`);
  const main = page.getByRole("main");
  await expect(main.getByRole("link", { name: /^Plans/ })).toContainText("3");
  for (const name of names) await expect(main.getByRole("link", { name })).toBeVisible();
  await page.goto(`/agents/${agentId}/plans`);
  for (const name of names) {
    await expect(page.getByRole("button", { name: `Unlink ${name}` })).toBeVisible();
  }
  await page.goto(`/agents/${agentId}/code`);
  for (const planId of planIds) await expect(main).toContainText(planId);
});

test("other accounts' agents are not found @long", async ({ page, browser }) => {
  test.setTimeout(90_000);
  await signInAsDemo(page, "builder");
  const { agentId } = await readDemoAgent(page);
  const other = await browser.newContext();
  const stranger = await other.newPage();
  await signInAsDemo(stranger, "subscriber");
  for (const tab of ["", "/endpoints", "/plans", "/checks", "/code", "/settings"]) {
    await stranger.goto(`/agents/${agentId}${tab}`);
    await expect(
      stranger.getByRole("heading", { level: 1, name: "Agent not found" }),
    ).toBeVisible();
  }
  const refused = await stranger.evaluate(
    (id) =>
      fetch(`/agents/${id}/checks/run`, { method: "POST", body: "{}" }).then(
        ({ status }) => status,
      ),
    agentId,
  );
  expect(refused).toBe(404);
  await other.close();
});

test("streams accept requests from this site's pages only", async ({ page, baseURL }) => {
  await signInAsDemo(page, "builder");
  const [cookie] = (await page.context().cookies()).filter(({ name }) => name.endsWith("session"));
  const { hostname, port } = new URL(baseURL ?? "");
  const send = (headers: Record<string, string>) =>
    fetch(`http://${hostname}:${port}/agents/new/probe`, {
      method: "POST",
      body: '{"endpoints":[]}',
      headers: { "content-type": "application/json", ...headers },
    }).then(({ status }) => status);
  const session = { cookie: `${cookie?.name}=${cookie?.value}` };
  expect(await send({ ...session })).toBe(403);
  expect(await send({ ...session, origin: "null" })).toBe(403);
  expect(await send({ ...session, origin: "https://evil.example" })).toBe(403);
  expect(await send({ origin: `http://${hostname}:${port}` })).toBe(401);
  expect(await send({ ...session, origin: `http://${hostname}:${port}` })).toBe(200);
});

test("an agent is registered by keyboard alone @long", async ({ page }) => {
  test.slow();
  await clickDemo(page, "builder");
  const planId = await readPlanId(page);
  const { url } = await serve((request, response) => {
    if (request.url === "/openapi.json") {
      sendJson(response, {
        openapi: "3.1.0",
        info: { title: "By keys", version: "1" },
        paths: { "/ask": { post: {} } },
      });
    } else askForPayment(request, response, { planId });
  });
  await page.evaluate(() => sessionStorage.clear());
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await page.waitForURL("**/agents");
  await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
  await page.keyboard.press("n");
  await page.waitForURL("**/agents/new");
  await page.getByLabel("Agent URL").focus();
  await page.keyboard.type(`${url}/openapi.json`);
  await page.keyboard.press("Enter");
  // The opened step has the focus.
  await expect(page.locator('[data-step-heading="endpoints"]')).toBeFocused();
  const press = async (name: string) => {
    await page.getByRole("button", { name, exact: true }).focus();
    await page.keyboard.press("Enter");
  };
  await press("Probe all");
  await expect(rowOf(page, `POST ${url}/ask`)).toHaveAttribute("data-probe", "ready");
  for (const step of ["access", "plans", "review"]) {
    await press(`Continue to ${step}`);
    await expect(page.locator(`[data-step-heading="${step}"]`)).toBeFocused();
  }
  await press("Register agent");
  await expect(page.getByText("The agent is registered.")).toBeVisible({ timeout: 30_000 });
});
