import { getRequestListener } from "@hono/node-server";
import { buildPaymentApp, Payments } from "@turnpike/payments";
import { agentHost } from "./support/agent-servers.ts";
import { serviceUrl } from "./support/service-url.ts";
import { signUp } from "./support/sign-in.ts";
import { expect as impatient, takePicture, test } from "./support/test.ts";

const expect = impatient.configure({ timeout: 30_000 });
const MOST_CLICKS = 14;
const MOST_SECS = 180;

const serve = agentHost(test);

/** A builder's agent behind the gate, as in the product's gating code: an app and its routes. */
async function serveGatedAgent(apiKey: string, planId: string): Promise<string> {
  const payments = Payments.getInstance({
    apiKey,
    environment: "sandbox",
    baseUrl: serviceUrl() ?? "",
  });
  const app = buildPaymentApp(
    payments,
    { "POST /v1/ask": { planId, credits: 1, description: "Answers one question." } },
    { title: "Filings reader" },
  ).post("/v1/ask", () => Response.json({ answer: 42 }));
  const listener = getRequestListener((request, env) => app.fetch(request, env), {
    overrideGlobalObjects: false,
  });
  const { url } = await serve((request, response) => void listener(request, response));
  return url;
}

test("a new builder goes from sign-in to a verified 402 of their own agent (A3)", async ({
  page,
  context,
}) => {
  test.setTimeout(MOST_SECS * 1_000 + 60_000);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  page.setDefaultTimeout(30_000);
  await signUp(page);
  const start = Date.now();
  const clicks = { way: 0, key: 0 };
  const click = async (
    role: "button" | "link",
    name: string,
    counts: keyof typeof clicks = "way",
  ) => {
    clicks[counts] += 1;
    await page.getByRole(role, { name, exact: true }).click();
  };

  // The agent's API key; builders who have one start with the plan.
  await click("link", "API keys", "key");
  await click("button", "Create key", "key");
  await page.getByRole("textbox", { name: "Name" }).fill("Filings reader");
  await page.getByRole("radio", { name: "Gate" }).check();
  await click("button", "Create key", "key");
  const apiKey = (await page.locator("[data-secret]").textContent()) ?? "";

  await click("button", "I have copied it", "key");
  await click("link", "Plans");
  await page.getByRole("heading", { level: 1, name: "Plans" }).waitFor();
  await page.getByRole("link", { name: "New plan", exact: true }).first().click();
  clicks.way += 1;
  await click("button", "Pay per call");
  await click("button", "Continue to credits");
  await click("button", "Continue to name");
  await page.getByLabel("Name").fill("Filings");
  await click("button", "Create plan");
  await expect(page.getByRole("heading", { name: "Plan “Filings” is ready." })).toBeFocused();
  const planId = (await page.locator("[data-plan-id]").textContent()) ?? "";

  const agentUrl = await serveGatedAgent(apiKey, planId);

  await click("link", "Register an agent");
  await page.getByLabel("Agent URL").focus();
  await page.evaluate((url) => navigator.clipboard.writeText(url), agentUrl);
  await page.keyboard.press("Control+v");
  await expect(page.getByText("OpenAPI 3.1, 2 paths")).toBeVisible();
  await click("button", "Probe all");
  const row = page.locator(`tr[data-endpoint="POST ${agentUrl}/v1/ask"]`);
  await expect(row).toHaveAttribute("data-probe", "ready");
  await expect(row).toContainText(/402 in \d+ ms/);
  await page.getByRole("button", { name: "Open Review and register" }).click();
  clicks.way += 1;
  await expect(page.getByText("1 paid endpoint, 0 free")).toBeVisible();
  await expect(page.getByText("0 errors, 0 warnings.")).toBeVisible();
  await takePicture(page, "builder-review");
  await click("button", "Register agent");
  await expect(page.getByText("The agent is registered.")).toBeVisible();
  await click("link", "Run checks");
  await page.waitForURL("**/checks");
  await click("button", "Run checks");
  await expect(page.locator('[data-check="D02"]')).toHaveAttribute("data-state", "pass", {
    timeout: 60_000,
  });
  const secs = (Date.now() - start) / 1_000;
  await takePicture(page, "builder-verified");
  console.log(
    `A3: ${clicks.way} clicks and ${clicks.key} for the API key, ${secs.toFixed(1)} s to a verified 402`,
  );
  expect(clicks.way).toBeLessThanOrEqual(MOST_CLICKS);
  expect(secs).toBeLessThanOrEqual(MOST_SECS);
});
