import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "@playwright/test";
import { Payments } from "@turnpike/payments";
import { serviceDataDir, serviceUrl } from "./service-url.ts";
import { addAuthenticator, signInAsDemo } from "./sign-in.ts";

export type Sandbox = {
  builder: { apiKey: string; address: string };
  subscriber: { apiKey: string; address: string };
  agent: { agentId: string; url: string };
  plans: { crypto: string; card: string; trial: string };
};

/** Who and what the sandbox was seeded with. */
export async function readSandbox(): Promise<Sandbox> {
  const dataDir = serviceDataDir() ?? process.env.TURNPIKE_DATA_DIR ?? ".turnpike";
  return JSON.parse(await readFile(join(dataDir, "sandbox.json"), "utf8"));
}

export const paymentsOf = (apiKey: string): Payments =>
  Payments.getInstance({ apiKey, environment: "sandbox", baseUrl: serviceUrl() ?? "" });

/** One real paid call of the demo subscriber to the demo builder's agent. Returns its request id. */
export async function payOnce(): Promise<string> {
  const response = await fetch(`${serviceUrl()}/demo/run`, {
    method: "POST",
    headers: { origin: serviceUrl() ?? "" },
  });
  const steps = (await response.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: string; facts: Record<string, string> });
  return steps.find(({ id }) => id === "receipt")?.facts.agentRequestId ?? "";
}

/** The cookie of a browser that signed in: as one of the inhabitants, or with an account of its own. */
export async function signInForCookie(
  browser: Browser,
  role: "builder" | "subscriber" | "stranger",
): Promise<string> {
  const context = await browser.newContext({ baseURL: serviceUrl() ?? "" });
  const page = await context.newPage();
  if (role === "stranger") {
    await addAuthenticator(page);
    await page.goto("/sign-in");
    // A press before the page has taken over is lost.
    await page.waitForLoadState("networkidle");
    await page.getByRole("button", { name: "New here? Make an account with a passkey" }).click();
    await page.waitForURL("**/home");
  } else await signInAsDemo(page, role);
  const cookies = await context.cookies();
  await context.close();
  return cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
}
