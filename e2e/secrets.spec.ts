import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { cardPlan, expect, test } from "./support/own-processor.ts";
import { payAs } from "./support/playground.ts";
import type { Sandbox } from "./support/sandbox-file.ts";
import { type Canary, createSecretScan, type SecretScan } from "./support/secret-scan.ts";
import { signUp } from "./support/sign-in.ts";
import { serveStripeJs } from "./support/stripe-js.ts";
import { order, watchClipboard } from "./support/subscriber.ts";

const CARD = "5555 5555 5555 4444";
const PATIENCE_MS = 60_000;

test("R14, T56: no secret leaks into URLs, responses, scripts, logs, storage or files @long", async ({
  page,
  context,
  browser,
  own: { processor, sandbox },
}) => {
  test.setTimeout(240_000);
  const world: Sandbox = JSON.parse(await readFile(join(sandbox.dataDir, "sandbox.json"), "utf8"));
  const kept = JSON.parse(await readFile(join(sandbox.dataDir, "secrets.json"), "utf8"));
  const scan = createSecretScan();
  await scan.watch(page);
  await serveStripeJs(context, processor.apiBase);
  const copied = await watchClipboard(page);
  const challenges = await watchChallenges(page);

  await signUp(page);
  await scan.keepPage(page);
  const apiKey = await makeKeyInBrowser(page);
  await scan.keepPage(page);

  await orderByCard(page, await cardPlan(sandbox.url));
  await scan.keepPage(page);
  await order(page, world.plans.crypto, /^Pay /);
  await page.getByRole("link", { name: "Mint access token" }).click();
  await page.getByRole("button", { name: "Mint access token", exact: true }).click();
  await page.getByRole("button", { name: "Copy token", exact: true }).click();
  const token = copied.last();
  await scan.keepPage(page);

  const link = await runExportAndShare(page, scan, world.agent.url, token);
  await checkAgent(page, scan, world.agent.url);
  for (const path of ["/home", "/activity", "/tokens", "/payment-methods", "/settings/api-keys"]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await scan.keepPage(page);
  }

  const visitor = await browser.newContext({ baseURL: sandbox.url });
  const stranger = await visitor.newPage();
  await scan.watch(stranger);
  await stranger.goto(link);
  await stranger.getByRole("button", { name: "Show run" }).click();
  await scan.keepPage(stranger);
  await visitor.close();

  await scan.keepFolder("script", join(import.meta.dirname, "../.next/static"));
  scan.keep("the service's log", await readFile(join(sandbox.dataDir, "service.log"), "utf8"));

  const session = (await context.cookies()).find(({ name }) => name.endsWith("turnpike-session"));
  const canaries: Canary[] = [
    { name: "API key", text: apiKey, shownIn: /^answer of POST \/settings\/api-keys$/ },
    {
      name: "access token",
      text: token,
      shownIn: /^answer of POST \/tokens\/new$/,
    },
    { name: "session cookie", text: session?.value ?? "" },
    { name: "card number", text: CARD.replaceAll(" ", "") },
    { name: "card number as typed", text: CARD },
    ...challenges().map((text) => ({
      name: "passkey challenge",
      text,
      shownIn: /^answer of POST \/sign-in$/,
    })),
    { name: "processor's secret key", text: processor.secretKey },
    { name: "processor's webhook secret", text: processor.webhookSecret },
    { name: "demo builder's API key", text: world.builder.apiKey },
    { name: "demo subscriber's API key", text: world.subscriber.apiKey },
    { name: "service's own key", text: kept.secretKey },
    { name: "settler's private key", text: kept.settlerPrivateKey },
  ];
  for (const { name, text } of canaries) expect(text.length, name).toBeGreaterThan(15);
  const { hits, shown } = await scan.find(canaries);
  console.log(
    `secrets: ${canaries.length} canaries, ${scan.places()} places, ${hits.length} hits, ${shown.length} shown once on purpose`,
  );
  expect(hits).toEqual([]);
  // The scan saw the secrets where they belong, so it does read its input.
  expect(shown).toContain("API key in answer of POST /settings/api-keys");
  expect(shown).toContain("access token in answer of POST /tokens/new");
});

/** The passkey challenges that the browser received. */
/** An API key, made on its page. */
async function makeKeyInBrowser(page: Page): Promise<string> {
  await page.goto("/settings/api-keys");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Name").fill("Tests");
  await page.getByRole("radio", { name: "Full" }).check();
  await page.getByRole("button", { name: "Create key" }).click();
  const key = await page.locator("[data-secret]").textContent();
  await page.getByRole("button", { name: "I have copied it" }).click();
  return key ?? "";
}

async function watchChallenges(page: Page): Promise<() => string[]> {
  const challenges: string[] = [];
  await page.exposeFunction("__challenge", (text: string) => challenges.push(text));
  await page.addInitScript(() => {
    const told = (window as never as { __challenge(text: string): Promise<void> }).__challenge;
    const create = navigator.credentials.create.bind(navigator.credentials);
    navigator.credentials.create = (options) => {
      const bytes = new Uint8Array(options?.publicKey?.challenge as ArrayBuffer);
      const text = btoa(String.fromCharCode(...bytes));
      void told(text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""));
      return create(options);
    };
  });
  return () => challenges;
}

async function orderByCard(page: Page, planId: string): Promise<void> {
  await page.goto(`/checkout/${planId}`);
  await page.getByRole("radio", { name: "New card" }).check();
  await page.getByRole("button", { name: "Enter card" }).click();
  const field = page.frameLocator("iframe[title='Secure card field']").getByLabel("Card number");
  await field.fill(CARD);
  await page.getByRole("button", { name: "Save card" }).click();
  await expect(page.getByRole("radio", { name: /Mastercard.*4444/ })).toBeChecked();
  await page.getByRole("button", { name: /^Pay / }).click();
  await expect(page.getByRole("heading", { name: "100 credits added" })).toBeVisible({
    timeout: PATIENCE_MS,
  });
}

/** Runs with the pasted token and saves the download. Returns the shared link. */
async function runExportAndShare(page: Page, scan: SecretScan, url: string, token: string) {
  await page.goto(`/playground?method=POST&url=${encodeURIComponent(url)}`);
  await page
    .getByRole("textbox", { name: "Body" })
    .fill(JSON.stringify({ question: "How many words is this?" }));
  await payAs(page, "A token");
  await page.getByRole("textbox", { name: "Access token" }).fill(token);
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-money")).toHaveAttribute("data-money", "settled", {
    timeout: PATIENCE_MS,
  });
  // Leave the page, so that it no longer contains the typed text.
  await payAs(page, "Your account");
  await scan.keepPage(page);
  for (const format of ["HAR (HTTP archive)", "JSON"]) {
    await page.getByRole("button", { name: "Export" }).click();
    await keepDownload(page, scan, () => page.getByRole("menuitem", { name: format }).click());
  }
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("button", { name: "Create link" }).click();
  const link = page.getByRole("dialog").getByRole("link", { name: /\/s\// });
  return (await link.getAttribute("href")) ?? "";
}

async function checkAgent(page: Page, scan: SecretScan, url: string): Promise<void> {
  await page.goto(`/doctor?${new URLSearchParams({ method: "POST", url })}`);
  await page.getByRole("button", { name: "Run checks" }).click();
  await expect(page.getByTestId("doctor-report")).toBeVisible({ timeout: PATIENCE_MS });
  await scan.keepPage(page);
  for (const name of ["Download JSON", "Download JUnit XML"]) {
    await keepDownload(page, scan, () => page.getByRole("button", { name }).click());
  }
}

async function keepDownload(page: Page, scan: SecretScan, press: () => Promise<void>) {
  const downloading = page.waitForEvent("download");
  await press();
  const download = await downloading;
  const text = await readFile((await download.path()) as string, "utf8");
  scan.keep(`download ${download.suggestedFilename()}`, text);
}
