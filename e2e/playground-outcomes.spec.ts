import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import {
  createMemoryQueue,
  createNodeListener,
  encodeHeader,
  getCryptoPriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
  type Payments,
} from "@turnpike/payments";
import { askForPayment, serveAgent } from "./support/agent-servers.ts";
import { clientOf, readSandbox, type Sandbox } from "./support/sandbox-file.ts";
import { signInAsDemo } from "./support/sign-in.ts";
import { expect, test } from "./support/test.ts";

const MONEY_TIMEOUT_MS = 60_000;

type Kind = "crypto" | "card";
type World = {
  kind: Kind;
  sandbox: Sandbox;
  seller: Payments;
  buyer: Payments;
  /** Ordered, with credits; not ordered; another of the seller's. */
  plans: { owned: string; fresh: string; other: string };
  names: { owned: string; fresh: string; other: string };
  url: string;
  /** Requests that reached the agent. */
  seen: string[];
};

/** Where a button leads: an address, or what the page shows then. */
type Leads = RegExp | ((page: Page, world: World, seenBefore: number) => Promise<void>);

type Row = {
  name: string;
  path: string;
  /** Pasted; minted by the run when left out. */
  token?: (world: World) => Promise<string>;
  /** Chooses a delegation under Token. */
  delegation?: (world: World) => Promise<{ id: string; end: () => Promise<unknown> }>;
  step: number;
  status: "ok" | "warn" | "error" | "skipped";
  outcome: string;
  reason: string;
  money: string;
  verdict: (world: World) => string | RegExp;
  /** What the run as a whole says, where it says more of the money than the step. */
  summary?: string;
  action: [label: string | RegExp, leads: Leads] | null;
};

const asksAgain = async (page: Page, { seen }: World, seenBefore: number) => {
  await expect.poll(() => seen.length).toBeGreaterThan(seenBefore);
  await expect(page.getByTestId("pg-money")).toBeVisible({ timeout: MONEY_TIMEOUT_MS });
};
const runsAgain: Leads = async (page, world, seenBefore) => {
  await asksAgain(page, world, seenBefore);
  await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-status", "ok");
};
/** The token that was pasted is gone, and one of the account's own is minted. */
const mints: Leads = async (page, world, seenBefore) => {
  await asksAgain(page, world, seenBefore);
  await expect(page.getByTestId("pg-step-3")).toHaveAttribute("data-outcome", "ready");
};
const showsAgentAuth: Leads = async (page) => {
  await expect(page.getByRole("tab", { name: "Auth", selected: true })).toBeVisible();
};
const mint = async ({ buyer, plans }: World, options = {}) =>
  (await buyer.x402.getX402AccessToken(plans.owned, null, options)).accessToken;

const ROWS: Row[] = [
  {
    name: "settled",
    path: "/sound",
    step: 6,
    status: "ok",
    outcome: "settled",
    reason: "",
    money: "settled",
    verdict: () => /^1 credit used, \d+ left\. Receipt agrees with the balance\.$/,
    action: ["Open receipt", /^\/activity\/req_/],
  },
  {
    name: "not ordered",
    path: "/fresh",
    step: 3,
    status: "error",
    outcome: "not-subscribed",
    reason: "",
    money: "challenged",
    verdict: () => "You have not ordered this plan yet.",
    action: ["Order plan", /^\/checkout\/\d+$/],
  },
  {
    name: "delegation ended",
    path: "/sound",
    delegation: async ({ buyer, kind }) => {
      const provider = kind === "card" ? "card-processor" : "erc4337";
      const name = `Ends at once, ${kind} ${Date.now()}`;
      const terms = { provider, spendingLimitCents: 1000n, durationSecs: 3600, name };
      const { delegationId } = await buyer.delegation.createDelegation(terms);
      return { id: name, end: () => buyer.delegation.revokeDelegation(delegationId) };
    },
    step: 3,
    status: "error",
    outcome: "delegation-ended",
    reason: "",
    money: "challenged",
    verdict: () => /^The delegation cannot be used: The delegation is revoked\. /,
    action: ["New delegation", /^\/delegations\/new$/],
  },
  {
    name: "garbage token",
    path: "/sound",
    token: async () => "garbage",
    step: 4,
    status: "error",
    outcome: "invalid_token",
    reason: "invalid_token",
    money: "refused",
    verdict: () => "This access token cannot be read.",
    action: ["Mint a new token", mints],
  },
  {
    name: "ended token",
    path: "/sound",
    token: async (world) => {
      const token = await mint(world, { delegationConfig: { durationSecs: 1 } });
      await new Promise((wake) => setTimeout(wake, 2_100));
      return token;
    },
    step: 4,
    status: "error",
    outcome: "expired_token",
    reason: "expired_token",
    money: "refused",
    verdict: () => "This access token has ended. No credits were used.",
    action: ["Mint again with same options", mints],
  },
  {
    name: "token without credits or the right to buy them",
    path: "/fresh",
    token: async ({ buyer, plans }) =>
      (
        await buyer.x402.getX402AccessToken(plans.fresh, null, {
          delegationConfig: { spendingLimitCents: 1n },
        })
      ).accessToken,
    step: 4,
    status: "error",
    outcome: "insufficient_balance",
    reason: "insufficient_balance",
    money: "refused",
    verdict: ({ names }) => `0 credits left on ‘${names.fresh}’; this call needs 1.`,
    action: ["Buy credits", /^\/checkout\/\d+$/],
  },
  {
    name: "token of another plan",
    path: "/sound",
    token: async ({ buyer, plans }) =>
      (await buyer.x402.getX402AccessToken(plans.other)).accessToken,
    step: 4,
    status: "error",
    outcome: "invalid_plan",
    reason: "invalid_plan",
    money: "refused",
    verdict: ({ names }) =>
      `This token is for ‘${names.other}’; the endpoint asks for ‘${names.owned}’.`,
    action: [/^Use a ‘Outcomes by (crypto|card)’ token$/, mints],
  },
  {
    name: "token of another endpoint",
    path: "/sound",
    token: (world) => mint(world, { resource: "http://127.0.0.1/elsewhere" }),
    step: 4,
    status: "error",
    outcome: "invalid_agent",
    reason: "invalid_agent",
    money: "refused",
    verdict: () => "This token is for another agent.",
    action: ["Mint for this agent", mints],
  },
  {
    name: "402 again",
    path: "/again",
    step: 5,
    status: "error",
    outcome: "refused-again",
    reason: "",
    money: "refused",
    verdict: () => "402 again: the agent gave no reason.",
    action: ["Mint a new token", mints],
  },
  {
    name: "401 with a token",
    path: "/denied",
    step: 5,
    status: "error",
    outcome: "token-not-accepted",
    reason: "",
    money: "refused",
    verdict: () => "The agent did not accept the token or its own login.",
    action: ["Mint again", mints],
  },
  {
    name: "401 with a token, and the agent's login is looked at",
    path: "/denied",
    step: 5,
    status: "error",
    outcome: "token-not-accepted",
    reason: "",
    money: "refused",
    verdict: () => "The agent did not accept the token or its own login.",
    action: ["Check agent auth", showsAgentAuth],
  },
  {
    name: "agent fails behind its gate",
    path: "/fails",
    step: 5,
    status: "error",
    outcome: "agent-failed",
    reason: "",
    money: "not-charged",
    verdict: () => "The agent failed. You were not charged.",
    summary: "The agent failed before payment. No settlement was made.",
    action: ["Run again", runsAgain],
  },
  {
    name: "agent fails, and nobody says what became of the money",
    path: "/broken",
    step: 5,
    status: "error",
    outcome: "agent-failed-unknown",
    reason: "",
    money: "unknown",
    verdict: () => "The agent failed. The service has not yet said what became of the payment.",
    action: ["Open activity", /^\/activity\?role=subscriber$/],
  },
  {
    name: "agent refuses the request",
    path: "/refuses",
    step: 5,
    status: "error",
    outcome: "agent-refused",
    reason: "",
    money: "not-charged",
    verdict: () => "The agent refused the request. You were not charged.",
    action: ["Run again", runsAgain],
  },
  {
    name: "gate cannot verify",
    path: "/unavailable",
    step: 5,
    status: "error",
    outcome: "gate-unavailable",
    reason: "",
    money: "not-charged",
    verdict: () => "The agent's gate could not verify. The agent was not run.",
    action: ["Run again", runsAgain],
  },
  {
    name: "connection breaks with the token sent",
    path: "/dropped",
    step: 5,
    status: "error",
    outcome: "lost-answer",
    reason: "",
    money: "unknown",
    verdict: () => "We could not learn the outcome. Do not pay again yet.",
    action: ["Check status", /^\/activity\?role=subscriber$/],
  },
  {
    name: "streaming",
    path: "/stream",
    step: 6,
    status: "ok",
    outcome: "settled",
    reason: "",
    money: "settled",
    verdict: () => /^1 credit used, \d+ left\. Receipt agrees with the balance\.$/,
    action: ["Open receipt", /^\/activity\/req_/],
  },
  {
    name: "2xx without receipt",
    path: "/bare",
    step: 6,
    status: "warn",
    outcome: "delivered-unsettled",
    reason: "",
    money: "delivered-unsettled",
    verdict: () =>
      "You have the answer, but payment was not confirmed. Credits may still be taken later.",
    action: ["Open activity", /^\/activity\?role=subscriber$/],
  },
  {
    name: "receipt says refused",
    path: "/refused-receipt",
    step: 6,
    status: "error",
    outcome: "receipt-refused",
    reason: "insufficient_balance",
    money: "delivered-unsettled",
    verdict: () => "Payment was refused: Not enough credits. The service reports no credits used.",
    action: ["Open reconcile", /^\/activity\/reconcile$/],
  },
  {
    name: "receipt that cannot be read",
    path: "/garbled-receipt",
    step: 6,
    status: "warn",
    outcome: "receipt-unreadable",
    reason: "",
    money: "unknown",
    verdict: () => "The payment-response header cannot be read.",
    action: ["Open activity", /^\/activity\?role=subscriber$/],
  },
];

/** Changes what the person has, so it comes last. */
const TOP_UP: Row = {
  name: "the balance is short, and the token may order",
  path: "/fresh",
  token: async ({ buyer, plans }) => (await buyer.x402.getX402AccessToken(plans.fresh)).accessToken,
  step: 6,
  status: "ok",
  outcome: "settled",
  reason: "",
  money: "settled",
  verdict: () => "1 credit used, 49 left. Receipt agrees with the balance.",
  action: ["Open receipt", /^\/activity\/req_/],
};

const servers: Server[] = [];

test.afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A seller's agent: sound behind its gate, or, on other paths, wrong in one way once a token is sent. */
async function serve(world: Omit<World, "url">): Promise<string> {
  const { seller, kind, plans, seen } = world;
  const gated = { planId: plans.owned, credits: 1 };
  const routes = {
    "POST /sound": gated,
    "POST /fails": gated,
    "POST /refuses": gated,
    "POST /stream": gated,
    "POST /fresh": { planId: plans.fresh, credits: 1 },
  };
  const listen = createNodeListener(
    seller,
    routes,
    (request: IncomingMessage, response: ServerResponse) => answer(request, response, kind, plans),
    { queue: createMemoryQueue() },
  );
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    void listen(request, response);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  kind: Kind,
  plans: World["plans"],
): void {
  const path = request.url ?? "";
  const say = (status: number, headers: Record<string, string> = {}) =>
    response.writeHead(status, headers).end("{}");
  if (path === "/sound" || path === "/fresh") return void say(200);
  if (path === "/fails") return void say(500);
  if (path === "/refuses") return void say(422);
  if (path === "/stream") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: one\n\n");
    setTimeout(() => response.end("data: two\n\n"), 100);
    return;
  }
  if (!request.headers["payment-signature"] || path === "/again") {
    askForPayment(request, response, {
      planId: plans.owned,
      change: ({ accepts }) => {
        if (kind !== "card") return;
        const [offer] = accepts as Record<string, unknown>[];
        Object.assign(offer ?? {}, { scheme: "svc:card-delegation", network: "card-processor" });
      },
    });
    return;
  }
  switch (path) {
    case "/denied":
      return void say(401);
    case "/broken":
      return void say(500);
    case "/unavailable":
      return void say(503, { "retry-after": "1" });
    case "/dropped":
      return void request.socket.destroy();
    case "/refused-receipt": {
      const error = "insufficient_balance";
      const message = "Not enough credits";
      const receipt = {
        success: false,
        errorReason: error,
        errorMessage: message,
        transaction: "",
        network: "eip155:84532",
        error,
      } as const;
      return void say(200, { "payment-response": encodeHeader(receipt) });
    }
    case "/garbled-receipt":
      return void say(200, { "payment-response": "%%%" });
    default:
      return void say(200);
  }
}

async function buildWorld(kind: Kind): Promise<World> {
  const sandbox = await readSandbox();
  const seller = clientOf(sandbox.lab.builder);
  const buyer = clientOf(sandbox.subscriber);
  const { address } = sandbox.lab.builder;
  const price =
    kind === "card"
      ? getFiatPriceConfig(5_000_000n, address, "USD")
      : getCryptoPriceConfig(1_000_000n, address, sandbox.chain.contracts.usdc);
  const names = {
    owned: `Outcomes by ${kind}`,
    fresh: `Not ordered by ${kind}`,
    other: `Another by ${kind}`,
  };
  const register = async (name: string) => {
    const terms = [{ name }, price, getFixedCreditsConfig(50n, 1n), { state: "unlisted" }] as const;
    return (await seller.plans.registerCreditsPlan(...terms)).planId;
  };
  const plans = {
    owned: await register(names.owned),
    fresh: await register(names.fresh),
    other: await register(names.other),
  };
  await buyer.plans.orderPlan(plans.owned);
  const world = { kind, sandbox, seller, buyer, plans, names, seen: [] };
  return { ...world, url: await serve(world) };
}

async function runRow(page: Page, world: World, row: Row): Promise<void> {
  await page.goto(`/playground?method=POST&url=${encodeURIComponent(world.url + row.path)}`);
  const tab = page.getByRole("tab", { name: "Token" });
  if (row.token) {
    const token = await row.token(world);
    await tab.click();
    await page.getByRole("radio", { name: "Paste" }).click();
    await page.getByRole("textbox", { name: "Access token" }).fill(token);
  }
  if (row.delegation) {
    const { id, end } = await row.delegation(world);
    await tab.click();
    await page.getByRole("combobox", { name: "Delegation" }).click();
    await page.getByRole("option", { name: id }).click();
    await end();
  }
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-money")).toBeVisible({ timeout: MONEY_TIMEOUT_MS });
}

async function expectRow(page: Page, world: World, row: Row): Promise<void> {
  const step = page.getByTestId(`pg-step-${row.step}`);
  const money = page.getByTestId("pg-money");
  await expect(money).toHaveAttribute("data-money", row.money);
  await expect(money).toHaveAttribute("data-reason", row.reason);
  await expect(step).toHaveAttribute("data-status", row.status);
  await expect(step).toHaveAttribute("data-outcome", row.outcome);
  await expect(step).toHaveAttribute("data-reason", row.reason);
  await expect(step.locator("p")).toHaveText(row.verdict(world));
  await expect(money.locator("p")).toHaveText(row.summary ?? row.verdict(world));
  for (let before = 1; before < row.step; before += 1) {
    await expect(page.getByTestId(`pg-step-${before}`)).toHaveAttribute("data-status", "ok");
  }
  for (let after = row.step + 1; after <= 6; after += 1) {
    await expect(page.getByTestId(`pg-step-${after}`)).toHaveAttribute("data-status", "skipped");
  }
  if (!row.action) return;
  const [label, leads] = row.action;
  if (leads instanceof RegExp) {
    const link = money.getByRole("link", { name: label });
    await expect(link).toHaveAttribute("href", leads);
    await link.click();
    await page.waitForURL((url) => leads.test(`${url.pathname}${url.search}`));
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  } else {
    const before = world.seen.length;
    await money.getByRole("button", { name: label }).click();
    await leads(page, world, before);
  }
}

for (const kind of ["crypto", "card"] as const) {
  // Over twenty runs, one after another.
  test(`every outcome that is a plan's own, on a ${kind} plan @long`, async ({ page }) => {
    test.setTimeout(240_000);
    const world = await buildWorld(kind);
    await signInAsDemo(page, "subscriber");
    for (const row of [...ROWS, TOP_UP]) {
      await test.step(row.name, async () => {
        await runRow(page, world, row);
        await expectRow(page, world, row);
      });
    }
  });
}

test("a cap below the price stops before a token is made", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  await page.goto("/playground");
  await page.getByRole("tab", { name: "Options" }).click();
  await page.getByRole("textbox", { name: /^Most credits/ }).fill("0");
  await page.getByTestId("pg-run").click();
  const step = page.getByTestId("pg-step-3");
  await expect(step).toHaveAttribute("data-outcome", "over-cap");
  await expect(step.locator("p")).toHaveText("The call asks for 1 credit; your cap is 0 credits.");
  await expect(page.getByTestId("pg-money")).toHaveAttribute("data-money", "challenged");
});

test("a card plan without a saved card says so, and leads to the cards", async ({ page }) => {
  const sandbox = await readSandbox();
  const [seller, buyer] = [clientOf(sandbox.lab.builder), clientOf(sandbox.builder)];
  const price = getFiatPriceConfig(5_000_000n, sandbox.lab.builder.address, "USD");
  const { planId } = await seller.plans.registerCreditsPlan(
    { name: "Bought once by card" },
    price,
    getFixedCreditsConfig(10n, 1n),
    { state: "unlisted" },
  );
  const card = await buyer.paymentMethods.addPaymentMethod({ testCard: "pm_card_visa" });
  await buyer.plans.orderPlan(planId);
  await buyer.paymentMethods.removePaymentMethod(card.paymentMethodId ?? "");
  const agent = await serveAgent((request, response) =>
    askForPayment(request, response, {
      planId,
      change: ({ accepts }) => {
        const [offer] = accepts as Record<string, unknown>[];
        Object.assign(offer ?? {}, { scheme: "svc:card-delegation", network: "card-processor" });
      },
    }),
  );
  await signInAsDemo(page, "builder");
  await page.goto(`/playground?method=POST&url=${encodeURIComponent(agent.url)}`);
  await page.getByTestId("pg-run").click();
  const step = page.getByTestId("pg-step-3");
  await expect(step).toHaveAttribute("data-outcome", "no-card");
  await expect(step.locator("p")).toHaveText(
    "‘Bought once by card’ is paid by card, and you have none saved.",
  );
  const link = page.getByTestId("pg-money").getByRole("link", { name: "Add card" });
  await expect(link).toHaveAttribute("href", "/payment-methods");
  await agent.close();
});

test("a free plan that is used up leads to more credits", async ({ page }) => {
  const sandbox = await readSandbox();
  const [seller, buyer] = [clientOf(sandbox.lab.builder), clientOf(sandbox.subscriber)];
  const { planId } = await seller.plans.registerCreditsPlan(
    { name: "One free call" },
    getFreePriceConfig(),
    getFixedCreditsConfig(1n, 1n),
    { state: "unlisted" },
  );
  await buyer.plans.orderPlan(planId);
  const { accessToken } = await buyer.x402.getX402AccessToken(planId);
  const agent = await serveAgent((request, response) =>
    askForPayment(request, response, { planId }),
  );
  const paymentRequired = await seller.x402.buildPaymentRequired({
    planId,
    endpoint: agent.url,
    httpVerb: "POST",
  });
  await seller.facilitator.settlePermissions({ paymentRequired, x402AccessToken: accessToken });
  await signInAsDemo(page, "subscriber");
  await page.goto(`/playground?method=POST&url=${encodeURIComponent(agent.url)}`);
  await page.getByTestId("pg-run").click();
  const step = page.getByTestId("pg-step-3");
  await expect(step).toHaveAttribute("data-outcome", "no-credits");
  await expect(step.locator("p")).toHaveText(
    "0 credits left on ‘One free call’; this call needs 1.",
  );
  const link = page.getByTestId("pg-money").getByRole("link", { name: "Buy credits" });
  await expect(link).toHaveAttribute("href", `/checkout/${planId}`);
  await agent.close();
});

test("a service that is busy at dry verify says that it is safe to retry, and a retry settles", async ({
  page,
}) => {
  const { subscriber, lab } = await readSandbox();
  const buyer = clientOf(subscriber);
  const planId = lab.plans.other ?? "";
  await buyer.plans.orderPlan(planId);
  const seller = clientOf(lab.builder);
  const listen = createNodeListener(
    seller,
    { "POST /busy": { planId } },
    (_request: IncomingMessage, response: ServerResponse) => void response.end("done"),
    { queue: createMemoryQueue() },
  );
  const server = createServer((request, response) => void listen(request, response));
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/busy`;
  await buyer.sandbox.injectFault({ fault: "verify-down", planId, times: 1 });
  await signInAsDemo(page, "subscriber");
  await page.goto(`/playground?method=POST&url=${encodeURIComponent(url)}`);
  await page.getByTestId("pg-run").click();
  const money = page.getByTestId("pg-money");
  await expect(money).toHaveAttribute("data-money", "not-charged", { timeout: MONEY_TIMEOUT_MS });
  const step = page.getByTestId("pg-step-4");
  await expect(step).toHaveAttribute("data-outcome", "verify-unavailable");
  await expect(step).toHaveAttribute("data-status", "warn");
  await expect(step).toHaveAttribute("data-reason", "unavailable");
  await expect(step.locator("p")).toHaveText("The service is busy. It is safe to retry.");
  await expect(page.getByTestId("pg-step-5")).toHaveAttribute("data-status", "skipped");
  await money.getByRole("button", { name: "Run again" }).click();
  await expect(money).toHaveAttribute("data-money", "settled", { timeout: MONEY_TIMEOUT_MS });
});
