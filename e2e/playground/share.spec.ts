import type { Page } from "@playwright/test";
import { type AgentServer, askForPayment, serveAgent } from "../support/agent-servers.ts";
import { expectGoodLooks } from "../support/look.ts";
import { payAs } from "../support/playground.ts";
import { clientOf, readSandbox } from "../support/sandbox-file.ts";
import { signInAsDemo } from "../support/sign-in.ts";
import { expect, expectNoAxeFindings, takePicture, test } from "../support/test.ts";

const MONEY_TIMEOUT_MS = 30_000;
const CANARIES = {
  apiKey: "svc-sandbox:eyJjYW5hcnk.eyJjYW5hcnk.Y2FuYXJ5",
  cookie: "crumbly-cookie-canary",
  email: "canary.bird@mail.example.org",
  bearer: "bearer-canary-0123456789",
  password: "pa55word-canary",
};
const agents: AgentServer[] = [];

test.afterAll(async () => {
  await Promise.all(agents.map(({ close }) => close()));
});

/** An agent that requires payment and echoes every secret it receives. */
async function echoingAgent(): Promise<AgentServer> {
  const { lab } = await readSandbox();
  const agent = await serveAgent((request, response) => {
    const token = request.headers["payment-signature"];
    if (!token) return askForPayment(request, response, { planId: lab.plans.calls ?? "" });
    const { authorization, cookie } = request.headers;
    response.writeHead(200, {
      "content-type": "application/json",
      "set-cookie": `session=${CANARIES.cookie}`,
      "x-contact": CANARIES.email,
    });
    const echo = { token, authorization, cookie, apiKey: CANARIES.apiKey, to: CANARIES.email };
    response.end(JSON.stringify({ ...echo, text: `password=${CANARIES.password}` }));
  });
  agents.push(agent);
  return agent;
}

/** Runs with secrets in every possible place. Returns the sent token and the URL. */
async function runWithSecrets(page: Page): Promise<{ token: string; url: string }> {
  const { subscriber, lab } = await readSandbox();
  const buyer = clientOf(subscriber);
  await buyer.plans.orderPlan(lab.plans.calls ?? "");
  const { accessToken } = await buyer.x402.getX402AccessToken(lab.plans.calls ?? "");
  const agent = await echoingAgent();
  const url = `${agent.url}/echo?api_key=${CANARIES.apiKey}&to=${encodeURIComponent(CANARIES.email)}`;
  await signInAsDemo(page, "subscriber");
  await page.goto(`/playground?method=POST&url=${encodeURIComponent(url)}`);
  await page
    .getByRole("textbox", { name: "Body" })
    .fill(JSON.stringify({ question: "Who?", password: CANARIES.password, to: CANARIES.email }));
  await page.getByRole("tab", { name: "Headers" }).first().click();
  await page
    .getByRole("textbox", { name: "Headers" })
    .fill(`cookie: ${CANARIES.cookie}\nx-note: mail ${CANARIES.email}\naccept: application/json`);
  await page.getByRole("tab", { name: "Auth" }).click();
  await page.getByRole("radio", { name: "Bearer" }).click();
  await page.getByLabel("Bearer token").fill(CANARIES.bearer);
  await payAs(page, "A token");
  await page.getByRole("textbox", { name: "Access token" }).fill(accessToken);
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-step-5")).toHaveAttribute("data-status", "ok", {
    timeout: MONEY_TIMEOUT_MS,
  });
  await expect(page.getByTestId("pg-money")).toBeVisible({ timeout: MONEY_TIMEOUT_MS });
  return { token: accessToken, url: agent.url };
}

async function share(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Share this run" });
  await expect(dialog.getByTestId("pg-share-preview")).not.toHaveAttribute("data-removed", "0");
  await expect(dialog.getByText("Removed from the request")).toBeVisible();
  await expect(dialog).toContainText("payment-signature");
  await expect(dialog).toContainText("email");
  await expectNoAxeFindings(page);
  await takePicture(page, "playground-share-preview");
  await dialog.getByRole("button", { name: "Create link" }).click();
  const link = page.getByRole("dialog").getByRole("link", { name: /\/s\// });
  const href = (await link.getAttribute("href")) ?? "";
  await takePicture(page, "playground-share-link");
  await page.getByRole("button", { name: "Done" }).click();
  return href;
}

test("a shared run shows its timeline to anyone, and none of the planted secrets, until it is revoked @long", async ({
  page,
  browser,
}) => {
  test.setTimeout(90_000);
  const { token, url } = await runWithSecrets(page);
  const href = await share(page);
  expect(href).toMatch(/^\/s\/[0-9a-f-]{36}$/);
  const secrets = [...Object.values(CANARIES), token, "canary.bird"];
  const leaks = (text: string) =>
    secrets.filter((secret) => text.includes(secret) || text.includes(encodeURIComponent(secret)));

  const context = await browser.newContext({ baseURL: new URL(page.url()).origin });
  const visitor = await context.newPage();
  const answer = await visitor.goto(href);
  expect(answer?.headers()["referrer-policy"]).toBe("no-referrer");
  expect(answer?.headers()["x-robots-tag"]).toContain("noindex");
  expect(await answer?.text()).not.toContain("/echo");
  await expect(visitor.locator("meta[name=robots]")).toHaveAttribute("content", /noindex/);
  await expect(visitor.getByRole("button", { name: "Revoke link" })).toHaveCount(0);
  await visitor.getByRole("button", { name: "Show run" }).click();
  await expect(visitor.getByTestId("pg-step-5")).toHaveAttribute("data-status", "ok");
  await expect(visitor.getByTestId("pg-shared")).toContainText("/echo");
  for (const tab of ["Headers", "Body", "Decoded", "Code", "Raw", "Explain"]) {
    await visitor.getByRole("tab", { name: tab, exact: true }).click();
    expect(leaks(await visitor.content()), tab).toEqual([]);
  }
  for (const step of [1, 5]) {
    await visitor.getByRole("button", { name: new RegExp(`^Explain step ${step},`) }).click();
    await visitor.getByRole("tab", { name: "Raw" }).click();
    expect(leaks(await visitor.content()), `step ${step}`).toEqual([]);
  }
  const row = await visitor.request.get(`/api/v1/runs/shared/${href.slice(3)}`);
  expect(row.status()).toBe(200);
  expect(leaks(await row.text())).toEqual([]);
  await expect(visitor.getByTestId("pg-run")).toHaveCount(0);
  await expectGoodLooks(visitor, [320, 375, 768, 1280, 1920], "shared-run");
  await context.close();

  // In the visitor's own playground: the request, without the token and the removed parts.
  await page.goto(`/playground?shared=${href.slice(3)}`);
  await expect(page.getByRole("textbox", { name: "Endpoint" })).toHaveValue(
    new RegExp(`^${url}/echo`),
  );
  await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-status", "idle");
  await page.getByRole("tab", { name: "Headers" }).first().click();
  await expect(page.getByRole("textbox", { name: "Headers" })).toHaveValue(
    /^accept: application\/json\ncontent-type: application\/json$/,
  );
  await page.getByRole("tab", { name: "Payer" }).click();
  await expect(page.getByRole("combobox", { name: "Pay as" })).toHaveText("Test customer");

  // The owner revokes the link, and then it is gone for everyone.
  await page.goto(href);
  await page.getByRole("button", { name: "Revoke link" }).click();
  await expect(page.getByText("Link revoked")).toBeVisible();
  expect((await page.goto(href))?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "Link expired or revoked" })).toBeVisible();
});

test("shared links are listed, copied and revoked from the playground @long", async ({
  page,
  context,
}) => {
  test.setTimeout(60_000);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await runWithSecrets(page);
  const href = await share(page);
  await page.getByRole("button", { name: "Shared links" }).click();
  const dialog = page.getByRole("dialog", { name: "Shared links" });
  const row = dialog.getByRole("listitem").filter({ has: page.locator(`a[href="${href}"]`) });
  await expect(row).toContainText("POST /echo");
  await row.getByRole("button", { name: /^Copy link to/ }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(new URL(href, page.url()).href);
  await expectGoodLooks(page, [320, 1280], "playground-links");
  await row.getByRole("button", { name: /^Revoke link to/ }).click();
  await expect(row).toHaveCount(0);
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("button", { name: "Shared links" })).toBeFocused();
  expect((await page.goto(href))?.status()).toBe(404);
});
