import {
  type APIRequestContext,
  type Browser,
  type Locator,
  type Page,
  request,
} from "@playwright/test";
import { serviceDataDir, serviceUrl } from "./support/service-url.ts";
import { addAuthenticator, signInAsDemo } from "./support/sign-in.ts";
import {
  expect,
  expectNoAxeFindings,
  expectNoSidewaysScroll,
  takePicture,
  test,
} from "./support/test.ts";
import { addWallet, type TestWallet } from "./support/wallet.ts";

const WIDTHS = [320, 375, 768, 1280, 1920];
const UNKNOWN = "We do not know yet whether this went through. Do not pay again.";

// A service that compiles each page when it is first asked for takes its time.
test.describe.configure({ timeout: serviceDataDir() ? 120_000 : 400_000 });

type Market = { crypto: string; card: string; trial: string; agentUrl: string };
let market: Market;

test.beforeAll(async () => {
  const api = await request.newContext({ baseURL: `${serviceUrl()}/api/v1/` });
  market = await readMarket(api);
  await api.dispose();
});

test.describe("from signed in to the first settled call", () => {
  for (const rail of ["crypto", "card"] as const) {
    test(`takes at most six clicks and a minute, ${rail}`, async ({ page }) => {
      const copied = await watchClipboard(page);
      await signInWithPasskey(page);
      const started = Date.now();
      const clicks = counter();
      // The first click is the plan page's, which leads here.
      await clicks.visit(page, `/checkout/${market[rail]}`);
      await clicks.click(page.getByRole("button", { name: /^Pay / }));
      await clicks.click(page.getByRole("link", { name: "Mint access token" }));
      await clicks.click(page.getByRole("button", { name: "Mint", exact: true }));
      await clicks.click(page.getByRole("button", { name: "Copy token", exact: true }));
      const answer = await callAgent(copied.last());
      expect(answer.status).toBe(200);
      expect(answer.receipt).toMatchObject({ success: true, creditsRedeemed: "1" });
      expect(clicks.count()).toBeLessThanOrEqual(6);
      expect(Date.now() - started).toBeLessThan(60_000);
      await page.goto(`/subscriptions/${market[rail]}`);
      await expect(page.getByText("99 credits")).toBeVisible();
      await picture(page, `subscription-${rail}`);
    });
  }
});

test("a token is minted from a subscription in two clicks", async ({ page }) => {
  const copied = await watchClipboard(page);
  await signInWithPasskey(page);
  await order(page, market.trial, "Get credits");
  await page.goto(`/subscriptions/${market.trial}`);
  const clicks = counter();
  await clicks.click(page.getByRole("link", { name: "Mint access token" }));
  await clicks.click(page.getByRole("button", { name: "Mint", exact: true }));
  await expect(page.getByRole("heading", { name: "Your access token" })).toBeFocused();
  expect(clicks.count()).toBe(2);

  for (const name of ["Copy as header", "Copy .env", "Copy cURL", "Copy token"]) {
    await page.getByRole("button", { name, exact: true }).click();
  }
  const [header, env, curl, token = ""] = copied.all();
  expect(header).toBe(`payment-signature: ${token}`);
  expect(env).toBe(`TURNPIKE_ACCESS_TOKEN=${token}`);
  expect(curl).toContain(market.agentUrl);
  expect((await callAgent(token)).status).toBe(200);
  // It is shown masked, kept nowhere, and stands in no address.
  await expectNowhere(page, token);
  await expect(page.getByRole("link", { name: "Open in playground" })).toHaveAttribute(
    "href",
    new RegExp(`^/playground\\?plan=${market.trial}&agent=`),
  );
  await picture(page, "token-minted");
});

test("leaving a token that was not copied asks once", async ({ page }) => {
  await signInWithPasskey(page);
  await page.goto(`/tokens/new?plan=${market.trial}`);
  await page.getByRole("button", { name: "Mint", exact: true }).click();
  await page.getByRole("link", { name: "All tokens" }).click();
  await expect(page.getByRole("dialog")).toContainText("Leave without copying the token?");
  await page.getByRole("button", { name: "Leave" }).click();
  await page.waitForURL("**/tokens");
});

test("revoking a delegation takes two clicks, and the next call is refused", async ({ page }) => {
  const copied = await watchClipboard(page);
  await signInWithPasskey(page);
  await order(page, market.crypto, /^Pay /);
  await page.goto("/delegations/new");
  await page.getByLabel("Name").fill("Research bot");
  await page.getByRole("button", { name: "5.00 USD" }).click();
  await expect(
    page.getByText("‘Research bot’ can charge your account up to $5.00 in total"),
  ).toBeVisible();
  await page.getByRole("button", { name: "Create delegation" }).click();
  await expect(page.getByRole("heading", { name: "Research bot", level: 1 })).toBeVisible();
  await page.getByRole("link", { name: "Mint access token" }).click();
  await expect(page.getByRole("radio", { name: /Use ‘Research bot’/ })).toBeChecked();
  await page.getByRole("button", { name: "Mint", exact: true }).click();
  await page.getByRole("button", { name: "Copy token", exact: true }).click();
  const token = copied.last();
  expect((await callAgent(token)).status).toBe(200);

  await page.goto("/delegations");
  await page.getByRole("button", { name: "Revoke Research bot" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("1 access token stops now")).toBeVisible();
  await expect(dialog.getByText("1 agent loses its payer")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Keep it" })).toBeFocused();
  await expectNoAxeFindings(page);
  await picture(page, "delegation-revoke");
  const revoked = page.waitForResponse((response) => response.request().method() === "POST");
  await dialog.getByRole("button", { name: "Revoke delegation" }).click();
  await revoked;
  const answer = await callAgent(token);
  expect(answer.status).toBe(402);
  expect(answer.body).toMatchObject({ code: "invalid_token" });
  await expect(page.getByRole("row", { name: /Research bot/ })).toContainText("Revoked");
  await expect(page.getByRole("row", { name: /Research bot/ })).toContainText("Stopped today");
});

test("a delegation’s row opens to lines that add up, and a card’s removal names what ends", async ({
  page,
}) => {
  await signInWithPasskey(page);
  await page.goto(`/checkout/${market.card}`);
  await page.getByLabel("Let agents order again when credits run out").check();
  await page.getByLabel("Limit").fill("1");
  await page.getByRole("button", { name: /^Pay / }).click();
  await expect(page.getByText("This is less than one order costs.")).toBeVisible();
  await expect(page.getByLabel("Limit")).toBeFocused();
  await page.getByLabel("Limit").fill("20.00");
  await expect(
    page.getByText(/can charge your Visa ending 4242 up to \$20.00/).first(),
  ).toBeVisible();
  await picture(page, "checkout-card");
  await page.getByRole("button", { name: /^Pay / }).click();
  await expect(page.getByRole("heading", { name: "100 credits are yours" })).toBeVisible();

  await page.goto("/delegations");
  await page
    .getByRole("button", { name: /^Delegation …/ })
    .first()
    .click();
  const paid = page.getByRole("table", { name: "What it paid for" });
  await expect(paid).toContainText("Starter by card, 100 credits");
  await expect(paid).toContainText("Spent 5.00 of 20.00");
  await expectNoAxeFindings(page);
  await picture(page, "delegations-open");

  await page.goto("/payment-methods");
  await page.getByRole("button", { name: "Remove Visa ending 4242" }).click();
  await expect(page.getByRole("dialog")).toContainText("1 delegation ends now");
  await page.getByRole("button", { name: "Remove card" }).click();
  await expect(page.getByText("No cards yet")).toBeVisible();
});

test.describe("outcomes of an order", () => {
  test("a declined card says so, charges nothing, and another card is used", async ({ page }) => {
    await signInWithPasskey(page);
    await page.goto(`/checkout/${market.card}`);
    await page.getByRole("radio", { name: "New card" }).check();
    await page.getByRole("button", { name: "4000 0000 0000 0002", exact: true }).click();
    await page.getByRole("button", { name: "Save card" }).click();
    await expect(page.getByRole("alert").first()).toContainText(
      /^Your bank declined the card: .+ No delegation was created\./,
    );
    await page.getByRole("button", { name: "4000 0000 0000 0341", exact: true }).click();
    await page.getByRole("button", { name: "Save card" }).click();
    await page.getByRole("button", { name: /^Pay / }).click();
    await expect(page.getByRole("heading", { name: "The order was not paid" })).toBeVisible();
    await expect(page.getByRole("alert").first()).toContainText("You were not charged.");
    await page.reload();
    await expect(page.getByRole("heading", { name: "The order was not paid" })).toBeVisible();
    await picture(page, "order-failed");
    await page.getByRole("link", { name: "Use another card" }).click();
    await expect(page.getByRole("radio", { name: /Visa ending 4242/ })).toBeChecked();
  });

  test("a bank that wants its customer to confirm is waited for, with no way to pay again", async ({
    page,
    context,
  }) => {
    await signInWithPasskey(page);
    await page.goto(`/checkout/${market.card}`);
    await page.getByRole("radio", { name: "New card" }).check();
    await page.getByRole("button", { name: "4000 0027 6000 3184", exact: true }).click();
    await page.getByRole("button", { name: "Save card" }).click();
    await confirmAtBank(page);
    await page.getByRole("button", { name: "I have confirmed" }).click();
    await page.getByRole("button", { name: /^Pay / }).click();
    await expect(page.getByText("Your bank wants you to confirm this payment.")).toBeVisible();
    await picture(page, "order-needs-confirmation");
    const second = await context.newPage();
    await second.goto(`/checkout/${market.card}`);
    await expect(second).toHaveURL(page.url());
    await expect(second.getByRole("button", { name: /^Pay / })).toHaveCount(0);
    await confirmAtBank(page);
    await expect(page.getByRole("heading", { name: "100 credits are yours" })).toBeVisible({
      timeout: 30_000,
    });
  });

  test("an unknown outcome has no way to pay: after a reload, in a second tab, in a second browser @long", async ({
    page,
    context,
    browser,
  }) => {
    await signInWithPasskey(page);
    const key = await makeApiKey(page);
    await sandbox(key, "POST", "fault", {
      fault: "card-request-lost",
      times: 500,
      durationSecs: 60,
    });
    try {
      await page.goto(`/checkout/${market.card}`);
      await page.getByRole("button", { name: /^Pay / }).click();
      await page.waitForURL(/\/checkout\/\d+\/.+/);
      await expect(page.getByText(UNKNOWN)).toBeVisible({ timeout: 45_000 });
      const second = await context.newPage();
      const third = await sameAccountElsewhere(browser, page);
      for (const each of [page, second, third]) {
        await each.goto(`/checkout/${market.card}`);
        await expect(each.getByText(UNKNOWN)).toBeVisible();
        await expect(each.getByRole("button", { name: "Check status" })).toBeVisible();
        await expect(each.getByRole("button", { name: /^Pay / })).toHaveCount(0);
      }
      await expectNoAxeFindings(page);
      await picture(page, "order-unknown");
      await third.context().close();
    } finally {
      await sandbox(key, "DELETE", "fault");
    }
    await expect(page.getByRole("heading", { name: "100 credits are yours" })).toBeVisible({
      timeout: 60_000,
    });
    expect(await orders(key, market.card)).toHaveLength(1);
  });

  test("pressing twice is one order", async ({ page }) => {
    await signInWithPasskey(page);
    const key = await makeApiKey(page);
    await page.goto(`/checkout/${market.crypto}`);
    await page.getByRole("button", { name: /^Pay / }).dblclick();
    await expect(page.getByRole("heading", { name: "100 credits are yours" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "100 credits are yours" })).toBeFocused();
    await picture(page, "order-confirmed");
    expect(await orders(key, market.crypto)).toHaveLength(1);
  });

  test("a trial that was used says when, and leads to other plans", async ({ page }) => {
    await signInWithPasskey(page);
    await order(page, market.trial, "Get credits");
    await page.goto(`/checkout/${market.trial}`);
    await expect(
      page.getByText(/^Trial plans can be ordered once\. You ordered this on \d+ \w+ \d{4}\.$/),
    ).toBeVisible();
    await expect(page.getByRole("button", { name: "Get credits" })).toHaveCount(0);
    await expect(page.getByRole("heading", { name: "See other plans" })).toBeVisible();
    await picture(page, "trial-used");
  });
});

test.describe("a killed answer", () => {
  // The browser reports the connection the test breaks.
  test.use({ mustNotComplain: false });

  test("the answer killed on its way is one order, however one comes back", async ({
    page,
    context,
  }) => {
    await signInWithPasskey(page);
    const key = await makeApiKey(page);
    await page.goto(`/checkout/${market.crypto}`);
    // A second tab was open before, and knows nothing of it.
    const second = await context.newPage();
    await second.goto(`/checkout/${market.crypto}`);
    await page.route(`**/checkout/${market.crypto}*`, async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      await route.fetch().catch(() => undefined);
      await route.abort("connectionreset").catch(() => undefined);
    });
    await page.getByRole("button", { name: /^Pay / }).click();
    await expect(page.getByText(UNKNOWN)).toBeVisible();
    await expect(page.getByRole("button", { name: /^Pay / })).toHaveCount(0);
    await page.unroute(`**/checkout/${market.crypto}*`);
    await page.reload();
    await expect(page.getByRole("heading", { name: "100 credits are yours" })).toBeVisible();
    await second.getByRole("button", { name: /^Pay / }).click();
    await expect(second.getByRole("heading", { name: "100 credits are yours" })).toBeVisible();
    expect(second.url()).toBe(page.url());
    expect(await orders(key, market.crypto)).toHaveLength(1);
  });
});

test.describe("an account of a person’s own wallet", () => {
  test("signs a permission that is explained first, and orders, mints and calls under it", async ({
    page,
  }) => {
    const copied = await watchClipboard(page);
    const wallet = await signInWithWallet(page);
    await page.goto(`/checkout/${market.crypto}`);
    await page.getByRole("button", { name: "Read what you sign" }).click();
    await expect(
      page.getByText("Turnpike may order this plan from your account for up to"),
    ).toBeVisible();
    await expectNoAxeFindings(page);
    await picture(page, "checkout-wallet");
    await connect(page);

    wallet.rejectNext("eth_signTypedData_v4");
    await page.getByRole("button", { name: /^Sign and pay / }).click();
    await expect(
      page.getByText("You closed the request in your wallet. Nothing was sent."),
    ).toBeVisible();
    await wallet.setChain(1);
    await expect(
      page.getByText("Your wallet is on Ethereum; this plan uses Base Sepolia."),
    ).toBeVisible();
    await page.getByRole("button", { name: "Switch network" }).click();
    await page.getByRole("button", { name: /^(Sign and pay |Try again)/ }).click();
    await expect(page.getByRole("heading", { name: "100 credits are yours" })).toBeVisible();

    await page.getByRole("link", { name: "Mint access token" }).click();
    await page.getByRole("radio", { name: /^New: / }).check();
    await page.getByRole("button", { name: "Read what you sign" }).click();
    await connect(page);
    await page.getByRole("button", { name: "Sign and mint" }).click();
    await page.getByRole("button", { name: "Copy token", exact: true }).click();
    expect((await callAgent(copied.last())).status).toBe(200);
    expect(wallet.asked).not.toContain("eth_sendTransaction");
  });

  test("a delegation left unsigned waits, spends nothing, and is signed later", async ({
    page,
  }) => {
    await signInWithWallet(page);
    await page.goto("/delegations/new");
    await page.getByLabel("Name").fill("Later");
    await page.getByRole("button", { name: "Create delegation" }).click();
    await expect(page.getByRole("heading", { name: "What your wallet signs" })).toBeVisible();
    await page.goto("/delegations");
    await expect(page.getByRole("row", { name: /Later/ })).toContainText("Not signed");
    await page.getByRole("link", { name: "Sign Later" }).click();
    await page.getByRole("button", { name: "Read what you sign" }).click();
    await connect(page);
    await page.getByRole("button", { name: "Sign delegation" }).click();
    await expect(page.getByText("It waits for your wallet’s signature.")).toHaveCount(0);
    await expect(page.getByText("Active", { exact: true }).first()).toBeVisible();
  });
});

test("a token is inspected in the browser alone", async ({ page }) => {
  const copied = await watchClipboard(page);
  await signInWithPasskey(page);
  await page.goto(`/tokens/new?plan=${market.trial}`);
  await page.getByRole("button", { name: "Mint", exact: true }).click();
  await page.getByRole("button", { name: "Copy token", exact: true }).click();
  const token = copied.last();
  await page.goto("/tokens/inspect");
  const sent: string[] = [];
  page.on("request", (each) => sent.push(`${each.url()} ${each.postData() ?? ""}`));
  await page.getByLabel("Access token").fill("nonsense");
  await expect(page.getByText("This access token cannot be read.")).toBeVisible();
  await page.getByLabel("Access token").fill(token);
  await expect(page.getByRole("row", { name: /payload\.authorization\.planId/ })).toContainText(
    market.trial,
  );
  await expect(page.getByText("Signature not checked here")).toBeVisible();
  await expectNoAxeFindings(page);
  await picture(page, "token-inspect");
  expect(sent.join("\n")).not.toContain(token.slice(20, 60));
  await expectNowhere(page, token, { mayBeTyped: true });
});

test("the way to a token works by keyboard alone", async ({ page }) => {
  await signInWithPasskey(page);
  await page.goto(`/checkout/${market.trial}`);
  await tabTo(page, page.getByRole("button", { name: "Get credits" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "1,000 credits are yours" })).toBeVisible();
  await tabTo(page, page.getByRole("link", { name: "Mint access token" }));
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("button", { name: "Mint", exact: true }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Your access token" })).toBeFocused();
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`has no axe findings and fits every width, ${colorScheme} @long`, async ({ page }) => {
    test.setTimeout(240_000);
    await page.emulateMedia({ colorScheme });
    await signInAsDemo(page, "subscriber");
    const routes = {
      checkout: `/checkout/${market.crypto}`,
      "checkout-new-card": `/checkout/${market.card}`,
      delegations: "/delegations",
      "delegation-new": "/delegations/new",
      tokens: "/tokens",
      "token-new": `/tokens/new?plan=${market.crypto}`,
      inspect: "/tokens/inspect",
      subscriptions: "/subscriptions",
      cards: "/payment-methods",
    };
    for (const [name, route] of Object.entries(routes)) {
      await page.goto(route);
      if (name === "checkout-new-card") await page.getByRole("radio", { name: "New card" }).check();
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        await expectNoSidewaysScroll(page);
        if (width === 375) await picture(page, `${name}-375-${colorScheme}`);
      }
      await expectNoAxeFindings(page);
      await picture(page, `${name}-${colorScheme}`);
    }
  });
}

/** A picture once the page is all there: one taken before React has taken over disturbs it. */
async function picture(page: Page, name: string): Promise<void> {
  await page.waitForLoadState("networkidle");
  await takePicture(page, name);
}

async function readMarket(api: APIRequestContext): Promise<Market> {
  const { items } = await (await api.get("protocol/plans/public?limit=100")).json();
  const idOf = (name: string): string =>
    items.findLast(
      (plan: { metadata: { main: { name: string } } }) => plan.metadata.main.name === name,
    ).planId;
  const [crypto, card, trial] = ["Starter", "Starter by card", "Free trial"].map(idOf);
  const agents = await (await api.get(`protocol/plans/${crypto}/agents`)).json();
  const [endpoint] = agents.items.at(-1).metadata.agent.endpoints;
  return { crypto, card, trial, agentUrl: endpoint.POST } as Market;
}

/** A person of their own for each test: a new account with test money and a test card. */
async function signInWithPasskey(page: Page): Promise<void> {
  await addAuthenticator(page);
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "New here? Make an account with a passkey" }).click();
  await page.waitForURL("**/home");
}

async function signInWithWallet(page: Page): Promise<TestWallet> {
  const wallet = await addWallet(page);
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Continue with a wallet" }).click();
  await page.getByRole("button", { name: "Test wallet" }).click();
  await page.waitForURL("**/home");
  return wallet;
}

/** Connects the wallet where the page does not know it any more. */
async function connect(page: Page): Promise<void> {
  const next = page.getByRole("button", { name: /^(Connect wallet|Sign and |Sign delegation)/ });
  await expect(next).toBeVisible();
  // A wallet that is found again connects by itself within a moment.
  await page.waitForTimeout(1_000);
  if (!(await page.getByRole("button", { name: "Connect wallet" }).isVisible())) return;
  await page.getByRole("button", { name: "Connect wallet" }).click();
  await page.getByRole("button", { name: "Test wallet" }).click();
}

async function order(page: Page, planId: string, button: string | RegExp): Promise<void> {
  await page.goto(`/checkout/${planId}`);
  await page.getByRole("button", { name: button }).click();
  await expect(page.getByRole("heading", { name: /credits are yours$/ })).toBeVisible({
    timeout: 30_000,
  });
}

/** What the page puts on the clipboard, which a browser without a screen does not have. */
async function watchClipboard(page: Page) {
  const texts: string[] = [];
  await page.exposeFunction("__copied", (text: string) => texts.push(text));
  await page.addInitScript(() => {
    const writeText = (text: string) =>
      (window as never as { __copied(text: string): Promise<void> }).__copied(text);
    Object.defineProperty(navigator, "clipboard", { value: { writeText } });
  });
  return { all: () => texts, last: () => texts.at(-1) ?? "" };
}

function counter() {
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

/** A paid call as an agent's customer makes it. */
async function callAgent(token: string) {
  const response = await fetch(market.agentUrl, {
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

/** The secret stands in no address, no text of the page and no storage of the browser. */
async function expectNowhere(
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

/** Answers the question of the bank behind the sandbox's card, in the tab it opens in. */
async function confirmAtBank(page: Page): Promise<void> {
  const opened = page.context().waitForEvent("page");
  await page.getByRole("link", { name: /^Confirm with your bank/ }).click();
  const bank = await opened;
  await bank
    .getByRole("button", { name: /confirm/i })
    .first()
    .click();
  await bank.close();
}

async function makeApiKey(page: Page): Promise<string> {
  await page.goto("/settings/api-keys");
  await page.getByRole("button", { name: "New API key" }).click();
  await page.getByLabel("Name").fill("Tests");
  await page.getByRole("button", { name: "Create key" }).click();
  const key = await page.locator("[data-api-key]").textContent();
  await page.getByRole("button", { name: "I have copied it" }).click();
  return key ?? "";
}

async function sandbox(key: string, method: string, part: string, body?: object): Promise<void> {
  const response = await fetch(`${serviceUrl()}/api/v1/sandbox/${part}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.status, await response.text()).toBe(200);
}

async function orders(key: string, planId: string): Promise<unknown[]> {
  const response = await fetch(`${serviceUrl()}/api/v1/orders?planId=${planId}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return (await response.json()).items;
}

async function sameAccountElsewhere(browser: Browser, page: Page): Promise<Page> {
  const context = await browser.newContext({ baseURL: serviceUrl() });
  await context.addCookies(await page.context().cookies());
  return context.newPage();
}

async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let step = 0; step < 60; step++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("Not reached by keyboard.");
}
