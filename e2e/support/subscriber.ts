import { type Browser, expect, type Locator, type Page } from "@playwright/test";
import { untilHydrated } from "./hydrated.ts";
import { readSandbox } from "./sandbox-file.ts";
import { callAction } from "./server-actions.ts";
import { serviceUrl } from "./service-url.ts";
import { takePicture } from "./test.ts";
import { addWallet, type TestWallet } from "./wallet.ts";

/** The sandbox's plans by payment method, and its demo agent. */
export type Market = { crypto: string; card: string; trial: string; agentUrl: string };

/** The plans and the agent of the sandbox under test. */
export async function openMarket(): Promise<Market> {
  const { plans, agent } = await readSandbox();
  return { ...plans, agentUrl: agent.url };
}

/** A screenshot after the page has loaded; one before hydration would disturb it. */
export async function picture(page: Page, name: string): Promise<void> {
  await untilHydrated(page);
  await takePicture(page, name);
}

export async function signInWithWallet(page: Page): Promise<TestWallet> {
  const wallet = await addWallet(page);
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Continue with a wallet" }).click();
  await page.getByRole("button", { name: "Test wallet" }).click();
  await page.waitForURL("**/home");
  return wallet;
}

/** Connects the wallet if the page has lost it. */
export async function connect(page: Page): Promise<void> {
  const next = page.getByRole("button", { name: /^(Connect wallet|Sign and |Sign delegation)/ });
  await expect(next).toBeVisible();
  const ready = page.getByRole("button", { name: /^(Sign and |Sign delegation)/ });
  // A known wallet reconnects on its own. A click that began on "Connect wallet" could sign then.
  await ready.waitFor({ timeout: 3_000 }).catch(() => {});
  await expect(async () => {
    if (await ready.isVisible()) return;
    const wallet = page.getByRole("button", { name: "Test wallet" });
    if (!(await wallet.isVisible())) {
      await page.getByRole("button", { name: "Connect wallet" }).click({ timeout: 1_000 });
    }
    await wallet.click({ timeout: 1_000 });
    await expect(ready).toBeVisible({ timeout: 2_000 });
  }).toPass({ timeout: 15_000 });
}

export async function order(page: Page, planId: string, button: string | RegExp): Promise<void> {
  await page.goto(`/checkout/${planId}`);
  await page.getByRole("button", { name: button }).click();
  await expect(page.getByRole("heading", { name: /credits added$/ })).toBeVisible({
    timeout: 30_000,
  });
}

/** Records what the page copies, because a headless browser has no clipboard. */
export async function watchClipboard(page: Page) {
  const texts: string[] = [];
  await page.exposeFunction("__copied", (text: string) => texts.push(text));
  await page.addInitScript(() => {
    const writeText = (text: string) =>
      (window as never as { __copied(text: string): Promise<void> }).__copied(text);
    Object.defineProperty(navigator, "clipboard", { value: { writeText } });
  });
  return { all: () => texts, last: () => texts.at(-1) ?? "" };
}

export function counter() {
  let count = 0;
  return {
    count: () => count,
    async click(target: Locator) {
      count += 1;
      await target.click();
    },
    async visit(page: Page, path: string) {
      count += 1;
      await page.goto(path);
    },
  };
}

/** Makes a paid call as a customer of the agent. */
export async function callAgent({ agentUrl }: Market, token: string) {
  const response = await fetch(agentUrl, {
    method: "POST",
    headers: { "content-type": "application/json", "payment-signature": token },
    body: JSON.stringify({ question: "How many words is this?" }),
  });
  const receipt = response.headers.get("payment-response");
  return {
    status: response.status,
    body: await response.json(),
    receipt: receipt && JSON.parse(Buffer.from(receipt, "base64").toString()),
  };
}

/** Expects the secret in no URL, page text or browser storage. */
export async function expectNowhere(
  page: Page,
  secret: string,
  { mayBeTyped = false } = {},
): Promise<void> {
  const needle = secret.slice(20, 60);
  const places = await page.evaluate(() => ({
    url: location.href,
    html: document.documentElement.outerHTML,
    local: JSON.stringify(localStorage),
    session: JSON.stringify(sessionStorage),
  }));
  const cookies = JSON.stringify(await page.context().cookies());
  for (const [place, text] of Object.entries({ ...places, cookies })) {
    if (mayBeTyped && place === "html") continue;
    expect(text.includes(needle), place).toBe(false);
  }
}

/** Confirms the card on the test bank's page, in its tab. */
export async function confirmAtBank(page: Page): Promise<void> {
  const opened = page.context().waitForEvent("page");
  await page.getByRole("link", { name: /^Confirm with your bank/ }).click();
  const bank = await opened;
  await bank
    .getByRole("button", { name: /confirm/i })
    .first()
    .click();
  // Closed any sooner, the browser may not have sent the answer.
  await expect(bank.getByText("You can close this page.")).toBeVisible();
  await bank.close();
}

/** Makes an API key of the signed-in account. */
export async function makeApiKey({ request }: Page): Promise<string> {
  const made = await callAction<{ apiKey: string }>(request, "createApiKey", { name: "Tests" });
  return made.apiKey;
}

export async function sandbox(
  key: string,
  method: string,
  part: string,
  body?: object,
): Promise<void> {
  const response = await fetch(`${serviceUrl()}/api/v1/sandbox/${part}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.status, await response.text()).toBe(200);
}

export async function orders(key: string, planId: string): Promise<unknown[]> {
  const response = await fetch(`${serviceUrl()}/api/v1/orders?planId=${planId}&limit=100`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return (await response.json()).items;
}

export async function sameAccountElsewhere(browser: Browser, page: Page): Promise<Page> {
  const context = await browser.newContext({ baseURL: serviceUrl() });
  await context.addCookies(await page.context().cookies());
  return context.newPage();
}

export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let step = 0; step < 60; step++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("Not reached by keyboard.");
}
