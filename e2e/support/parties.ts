import { type Browser, expect } from "@playwright/test";
import { serviceUrl } from "./service-url.ts";
import { signInAfresh, signInAsDemo } from "./sign-in.ts";

/** Makes a paid call as the demo subscriber to the demo builder's agent. Returns its request id. */
export async function payOnce(): Promise<string> {
  const response = await fetch(`${serviceUrl()}/demo/run`, {
    method: "POST",
    headers: { origin: serviceUrl() ?? "", "sec-fetch-site": "same-origin" },
  });
  const steps = (await response.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: string; ok: boolean; facts: Record<string, string> });
  expect(steps.filter(({ ok }) => !ok)).toEqual([]);
  return steps.find(({ id }) => id === "receipt")?.facts.agentRequestId ?? "";
}

/** The cookie of a signed-in browser: with a demo account, or with a separate one. */
export async function signInForCookie(
  browser: Browser,
  role: "builder" | "subscriber" | "stranger",
): Promise<string> {
  const context = await browser.newContext({ baseURL: serviceUrl() ?? "" });
  const page = await context.newPage();
  if (role === "stranger") await signInAfresh(page);
  else await signInAsDemo(page, role);
  const cookies = await context.cookies();
  await context.close();
  return cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
}
