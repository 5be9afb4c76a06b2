import type { Browser } from "@playwright/test";
import { createOperations } from "@turnpike/payments";
import {
  getFixedCreditsConfig,
  getFreePriceConfig,
  pathMembers,
} from "@turnpike/payments/protocol";
import { runs } from "../lib/console/operations.ts";
import { sampleRun } from "../lib/console/shared-run.ts";
import { allRows } from "../lib/server/testing/operation-samples.ts";
import { inFull } from "../lib/testing/in-full.ts";
import { disputedOrder, waitingOrder } from "./support/loaded-world.ts";
import { PAGES } from "./support/pages.ts";
import { payOnce, signInForCookie } from "./support/parties.ts";
import { DOCS_NAMES, pageRoutes } from "./support/routes.ts";
import { clientOf, readSandbox } from "./support/sandbox-file.ts";
import { serviceUrl } from "./support/service-url.ts";
import { expect, test } from "./support/test.ts";

// Marks all of a tenant's data, so that any response to another tenant that contains it is a leak.
const CANARY = `Canary${Date.now().toString(36)}`;

/** A tenant's data; each `owner` is the demo builder or the demo subscriber. */
async function createWorld() {
  const sandbox = await readSandbox();
  const builder = clientOf(sandbox.builder);
  const subscriber = clientOf(sandbox.subscriber);
  const { planId: draftId } = await builder.plans.registerCreditsPlan(
    { name: `${CANARY} draft` },
    getFreePriceConfig(),
    getFixedCreditsConfig(10n),
    { state: "draft" },
  );
  const { agentId } = await builder.agents.registerAgent({ name: "Agent of a tenant" }, {});
  const { delegationId } = await subscriber.delegation.createDelegation({
    provider: "erc4337",
    spendingLimitCents: 1000n,
    durationSecs: 3600,
    currency: "usd",
    name: `${CANARY} delegation`,
  });
  const { orderId } = await subscriber.plans.orderPlan(sandbox.plans.trial).catch(async () => {
    // A trial can be ordered once, and an earlier test may have ordered it.
    const { items } = await subscriber.holdings.listOrders({ planId: sandbox.plans.trial });
    return { orderId: items[0]?.orderId ?? "" };
  });
  const { tokenId } = await subscriber.x402.getX402AccessToken(
    sandbox.plans.trial,
    sandbox.agent.agentId,
  );
  const agentRequestId = await payOnce();
  // Not marked, because pages repeat the requested URL.
  const reportedId = `request-${Date.now().toString(36)}`;
  const { settlementId = "" } = await builder.requests.getRequest(agentRequestId);
  await builder.requests.reportRequests({
    requests: [
      {
        at: new Date().toISOString(),
        agentRequestId: reportedId,
        method: "POST",
        path: `/${CANARY}`,
        planId: draftId,
        httpStatus: 402,
        moneyStatus: "challenged",
      },
    ],
  });
  const disputeId = await disputedOrder(builder, subscriber, sandbox.plans.card);
  const { paymentMethodId } = await subscriber.paymentMethods.addPaymentMethod({
    testCard: "pm_card_visa",
  });
  const paid = await subscriber.plans.orderPlan(sandbox.plans.card, {
    providerPaymentMethodId: paymentMethodId,
  });
  const { refundId } = await subscriber.money.requestRefund({
    orderId: paid.orderId,
    reason: `${CANARY} refund`,
  });
  const { shareId } = await createOperations(subscriber.connection, runs).shareRun(
    JSON.stringify(sampleRun),
  );
  const { endpointId } = await builder.webhooks.createWebhookEndpoint({
    url: new URL(`/${CANARY}`, sandbox.agent.url).href,
    events: ["card.removed"],
  });
  return {
    sandbox,
    endpointId,
    shareId,
    draftId,
    agentId,
    delegationId,
    orderId,
    tokenId,
    agentRequestId,
    reportedId,
    settlementId,
    disputeId,
    refundId,
    approvalId: await waitingOrder(subscriber, sandbox.plans.crypto, delegationId),
    saleId: paid.orderId,
  };
}
type World = Awaited<ReturnType<typeof createWorld>>;

/** The world's ids, under the names that paths have for them. */
const idsOf = (w: World): Record<string, string> => ({
  planId: w.sandbox.plans.trial,
  holderAddress: w.sandbox.subscriber.address,
  orderId: w.orderId,
  agentId: w.agentId,
  tokenId: w.tokenId,
  delegationId: w.delegationId,
  agentRequestId: w.agentRequestId,
  settlementId: w.settlementId,
  shareId: w.shareId,
  address: w.sandbox.subscriber.address,
  disputeId: w.disputeId,
  refundId: w.refundId,
  approvalId: w.approvalId,
  endpointId: w.endpointId,
  month: new Date().toISOString().slice(0, 7),
});

/** A page's address with the world's ids: of the draft where a page of plans must not show it to others. */
function pathOf(route: string, w: World): string {
  const ids: Record<string, string> = {
    ...idsOf(w),
    ...DOCS_NAMES,
    ...(/^\/(?:plans|p)\//.test(route) && { planId: w.draftId }),
    ...(route.startsWith("/balance/") && { orderId: w.saleId }),
    requestId: w.reportedId,
  };
  return route.replace(/\[(\w+)\]/g, (_, name: string) => ids[name] ?? "");
}

/** What some reads are given besides the members of their path. */
const QUERIES: Record<string, (world: World) => Record<string, string>> = {
  listPublicPlans: () => ({ search: CANARY }),
  searchResources: () => ({ query: CANARY }),
  listOrders: (w) => ({ planId: w.sandbox.plans.trial }),
  listCustomers: (w) => ({ planId: w.sandbox.plans.trial }),
  listTokens: (w) => ({ delegationId: w.delegationId }),
  getInvoice: (w) => ({ orderId: w.saleId }),
  getRequest: (w) => ({ agentRequestId: w.reportedId }),
};

/** What the service signs for an account has nothing left to sign. */
const OWN_STATUS: Record<string, number> = { getGrant: 409, getRefundPayment: 409 };

const READS = allRows.filter(([, { method }]) => method === "GET");

type Answer = { status: number; location: string; text: string };

async function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(new URL(path, serviceUrl()), { headers, redirect: "manual" });
  const { status } = response;
  const location = response.headers.get("location") ?? "";
  const text = await response.text();
  // The router marks its requests in the URL; without the mark it is redirected first.
  return status === 307 && /[?&]_rsc/.test(location)
    ? get(location, headers)
    : { status, location, text };
}

/** A streamed page says it in its text, because its status was already sent. */
const isNotFound = ({ status, text }: Answer) =>
  status === 404 || text.includes("NEXT_HTTP_ERROR_FALLBACK;404");
const isSignIn = ({ status, location, text }: Answer) =>
  (status >= 300 && status < 400 && location.includes("/sign-in")) ||
  /NEXT_REDIRECT;[^;]*;\/sign-in/.test(text);

/** The same page as the router requests it, for prefetch and navigation. */
const WAYS: Record<string, Record<string, string>> = {
  document: {},
  flight: { rsc: "1" },
  prefetch: { rsc: "1", "next-router-prefetch": "1" },
  "with a forged inner header": {
    "x-middleware-subrequest": "proxy:proxy:proxy:proxy:proxy",
    "x-turnpike-path": "/home",
  },
};

test.describe("tenants cannot read each other’s data", () => {
  // One worker, so that the world is created once.
  test.describe.configure({ mode: "default" });
  let world: World;
  let cookies: Record<"builder" | "subscriber" | "stranger", string>;

  test.beforeAll(async ({ browser }: { browser: Browser }) => {
    test.setTimeout(120_000);
    world = await createWorld();
    cookies = {
      builder: await signInForCookie(browser, "builder"),
      subscriber: await signInForCookie(browser, "subscriber"),
      stranger: await signInForCookie(browser, "stranger"),
    };
  });

  test("every page has a row", () => {
    expect(pageRoutes()).toEqual(Object.keys(PAGES).toSorted());
  });

  test("T29, T32: every page, for every kind of request @long", async () => {
    test.setTimeout(120_000);
    let asked = 0;
    const ways = Object.entries(WAYS);
    const pages = Object.entries(PAGES).filter(([route]) => route.includes("["));
    for (const [at, [route, { who, owner = who }]] of pages.entries()) {
      const url = pathOf(route, world);
      // In the short form each page is asked as a document and in one other way, and each way asks many pages.
      const tried = ways.filter((_, number) =>
        inFull(true, number === 0 || number === 1 + (at % 3)),
      );
      const owners = (["builder", "subscriber"] as const).filter(
        (one) => owner === "both" || one === owner,
      );
      for (const one of owners) {
        const own = await get(url, { cookie: cookies[one] });
        expect(own.status, `${route} as its owner`).toBe(200);
        expect(isNotFound(own), `${route} as its owner`).toBe(false);
      }
      const others = (["builder", "subscriber", "stranger"] as const).filter(
        (one) => one === "stranger" || !owners.includes(one),
      );
      for (const [way, headers] of tried) {
        for (const other of others) {
          const answer = await get(url, { ...headers, cookie: cookies[other] });
          const label = `${route}, ${way}, as ${other}: ${answer.status} ${answer.location}`;
          asked += 1;
          if (owner === "everyone") expect(answer.status, label).toBeLessThan(500);
          else if (way !== "prefetch") expect(isNotFound(answer), label).toBe(true);
          expect(answer.text.includes(CANARY), label).toBe(false);
        }
        const guest = await get(url, headers);
        const label = `${route}, ${way}, as guest: ${guest.status}`;
        asked += 1;
        expect(guest.text.includes(CANARY), label).toBe(false);
        if (owner !== "everyone" && way !== "prefetch") {
          expect(isSignIn(guest) || isNotFound(guest), label).toBe(true);
        }
      }
    }
    console.log(`tenants: ${pages.length} pages, ${asked} answers to others, 0 leaks`);
  });

  test("T29, T32: every read that a page makes in the browser @long", async () => {
    test.setTimeout(120_000);
    let asked = 0;
    for (const [name, { path, tenancy, access }] of READS) {
      const ids = idsOf(world);
      const members = pathMembers(path).map((member) => [member, ids[member] ?? ""]);
      const input = { ...Object.fromEntries(members), ...QUERIES[name]?.(world) };
      const url = `/data/${name}?${new URLSearchParams(input)}`;
      if (tenancy === "not found") {
        const owners = [cookies.builder, cookies.subscriber];
        const own = await Promise.all(owners.map((cookie) => get(url, { cookie })));
        expect(
          own.map(({ status }) => status),
          `${url} as its owner`,
        ).toContain(OWN_STATUS[name] ?? 200);
      }
      const answer = await get(url, { cookie: cookies.stranger });
      const label = `${name} as a stranger: ${answer.status} ${answer.text.slice(0, 200)}`;
      if (tenancy === "not found") expect(answer.status, label).toBe(404);
      else expect(answer.status, label).toBeLessThan(500);
      if (tenancy === "own rows") {
        for (const id of [world.delegationId, world.tokenId, world.agentRequestId, world.orderId]) {
          expect(answer.text.includes(id), label).toBe(false);
        }
      }
      expect(answer.text.includes(CANARY), label).toBe(false);
      const guest = await get(url);
      const isOpen = access === "public";
      const unsigned = `${name} as guest: ${guest.status}`;
      expect(guest.status, unsigned).toBe(isOpen ? 200 : 401);
      expect(guest.text.includes(CANARY), unsigned).toBe(false);
      asked += 2;
    }
    for (const { method, name } of [
      { method: "a change", name: "createApiKey" },
      { method: "nothing", name: "constructor" },
      { method: "nothing", name: "__proto__" },
    ]) {
      const answer = await get(`/data/${name}`, { cookie: cookies.builder });
      expect(answer.status, `${method} through /data`).toBe(404);
    }
    console.log(`tenants: ${READS.length} reads, ${asked} answers to others, 0 leaks`);
  });

  test("a draft cannot be found or ordered", async () => {
    for (const cookie of [cookies.stranger, cookies.subscriber, ""]) {
      for (const path of [
        `/explore?q=${CANARY}`,
        `/data/listPublicPlans?search=${CANARY}`,
        `/checkout/${world.draftId}`,
        `/p/${world.draftId}`,
      ]) {
        const answer = await get(path, { cookie });
        expect(answer.text.includes(`${CANARY} draft`), `${path}: ${answer.status}`).toBe(false);
      }
    }
  });

  test("downloads contain the account’s own rows only", async () => {
    for (const path of [
      "/activity/export?range=24h",
      "/earnings/export",
      "/settings/audit/export",
    ]) {
      const own = await get(path, { cookie: cookies.builder });
      expect(own.status).toBe(200);
      const other = await get(path, { cookie: cookies.stranger });
      expect(other.status).toBe(200);
      for (const secret of [CANARY, world.agentRequestId, world.sandbox.plans.trial]) {
        expect(other.text.includes(secret), path).toBe(false);
      }
      expect((await get(path)).status).toBe(401);
    }
  });
});
