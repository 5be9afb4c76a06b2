import { createGate, createMemoryQueue, type RouteMap } from "@turnpike/payments";
import {
  getErc20PriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import { runPlayground } from "@/lib/playground/engine.ts";
import type { PlaygroundService, RunPayer, RunPermission } from "@/lib/playground/ports.ts";
import type { Run, RunInput } from "@/lib/playground/run.ts";
import { inFull, longTest } from "@/lib/testing/in-full.ts";
import { testOutbound } from "../outbound/note-test-calls.ts";
import { sendForPlayground } from "../outbound/playground-send.ts";
import { testDeployment } from "../testing/pretend-rail.ts";
import { createMarket, createTestService, type TestParty } from "../testing/test-service.ts";
import { openRunCaller } from "./run-payer.ts";

const RUNS = inFull(20, 6);
const RECEIVER = "0x000000000000000000000000000000000000dEaD";
const usdc = testDeployment().usdc ?? "";
let database: Database;
let service: ReturnType<typeof createTestService>;

beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database);
});
afterAll(async () => {
  expect(await brokenRules(database)).toEqual([]);
  await database.close();
});

const callerOf = ({ address }: TestParty) =>
  ({ account: address, keyId: null, isOperator: false }) as const;

/** The playground's service as its server actions make it. */
async function serviceOf(person: TestParty, payer: RunPayer): Promise<PlaygroundService> {
  const caller = await openRunCaller(service, callerOf(person), payer);
  let opened: RunPermission | null = null;
  return {
    account: caller.account,
    readPlan: (planId) => caller.call("getPlan", { planId }) as never,
    async readBalance(planId) {
      const found = await caller.readBalance(planId);
      return { ...found, balance: BigInt(found.balance), held: BigInt(found.held) } as never;
    },
    async mint({ planId, agentId }) {
      const minted = await caller.mint({ accepted: { planId, extra: agentId ? { agentId } : {} } });
      opened = minted.permission;
      return minted;
    },
    dryVerify: (paymentRequired, x402AccessToken) =>
      caller.call("verifyPermissions", { paymentRequired, x402AccessToken }) as never,
    findRequest: (agentRequestId) => caller.call("getRequest", { agentRequestId }) as never,
    async end() {
      if (!opened) return null;
      await caller.end(opened);
      opened = null;
      return "ended";
    },
  };
}

type World = Awaited<ReturnType<typeof openWorld>>;

/** A market whose agent is called without a port. */
async function openWorld(terms: Parameters<typeof createMarket>[1] = {}) {
  const market = await createMarket(service, { ...terms, order: false });
  const { builder, planId, agentId } = market;
  const gate = createGate(builder.payments, { "POST /ask": { planId, agentId } } as RouteMap, {
    queue: createMemoryQueue(),
  });
  const agent: Outbound = {
    async *send({ method, url, headers, body }) {
      const request = new Request(url, {
        method,
        ...(headers && { headers }),
        ...(body && { body }),
      });
      const answer = await gate(request, async () => Response.json({ text: "done" }));
      yield { type: "headers", status: answer.status, headers: [...answer.headers], ms: 1 };
      const bytes = new Uint8Array(await answer.arrayBuffer());
      yield { type: "chunk", bytes, ms: 1 };
      yield { type: "end", bytes: bytes.length, cut: null, ms: 1 };
    },
  };
  return { ...market, agent, person: await service.party() };
}

async function play(world: World, payer: RunPayer, token: RunInput["token"]): Promise<Run> {
  const { agent, person, endpoint } = world;
  const outbound = payer === "test" ? testOutbound(agent, service.ports) : agent;
  const events = runPlayground({
    input: { method: "POST", url: endpoint, headers: [], body: "{}", token },
    service: await serviceOf(person, payer),
    signal: new AbortController().signal,
    async transport(request, { signal }) {
      const sending = { outbound, account: person.address, request, signal };
      for await (const event of sendForPlayground(sending)) {
        if (event.type === "done") return { request, ...event.exchange };
      }
      throw new Error("The request had no end.");
    },
  });
  for (;;) {
    const { value, done } = await events.next();
    if (done) return value;
  }
}

/** Everything a person has that could pay, and what their home page counts. */
async function holdingsOf({ payments, figures }: TestParty) {
  const [delegations, tokens, subscriptions, home] = await Promise.all([
    payments.delegation.listDelegations({ limit: 100 }),
    payments.tokens.listTokens({ limit: 100 }),
    payments.holdings.listSubscriptions({}),
    figures.getHome(),
  ]);
  const active = delegations.items.filter(({ status }) => status === "Active");
  return {
    active: active.length,
    spendable: active.reduce((sum, one) => sum + one.remainingBudgetCents, 0n),
    activeTokens: tokens.items.filter(({ status }) => status === "Active").length,
    subscriptions: subscriptions.total,
    ending: home.subscriber.delegationAlerts,
  };
}

describe("a run", () => {
  test(`leaves nothing behind after ${RUNS} runs as the test customer`, async () => {
    const world = await openWorld({
      price: getErc20PriceConfig(1_000_000n, usdc, RECEIVER),
      credits: getFixedCreditsConfig(3n, 1n),
    });
    const { person, builder } = world;
    const read = async () => ({
      ...(await holdingsOf(person)),
      all: (await person.payments.tokens.listTokens()).total,
      funnel: await builder.figures.getFunnel(),
      home: (await builder.figures.getHome()).builder.settled24h,
      sold: (await builder.figures.getEarnings()).totals,
    });
    const before = await read();
    for (let run = 0; run < RUNS; run++) {
      const ended = await play(world, "test", { kind: "test" });
      expect([ended.money, ended.permission]).toEqual(["settled", "ended"]);
      const { before, after } = ended.credits ?? { before: 0, after: 0 };
      expect(BigInt(before) - BigInt(after)).toBe(1n);
      const found = await person.payments.requests.getRequest(ended.agentRequestId ?? "");
      expect(found.moneyStatus).toBe("settled");
    }
    const reported = () => builder.payments.requests.listRequests({ includeTest: true });
    await expect.poll(async () => (await reported()).total).toBe(2 * RUNS);
    expect(await read()).toEqual(before);
    const withTests = await builder.figures.getFunnel({ includeTest: true });
    expect(withTests).toMatchObject({ challenged: RUNS, settled: RUNS });
    const customer = await service.ports.accounts.findTestCustomer(person.address);
    expect(customer?.testOf).toBe(person.address);
  });

  longTest("as the person leaves no permission either, and counts as theirs", async () => {
    const world = await openWorld();
    const { person, builder, planId } = world;
    await person.payments.plans.orderPlan(planId);
    const before = await holdingsOf(person);
    const run = await play(world, "own", { kind: "mint" });
    expect([run.money, run.permission]).toEqual(["settled", "ended"]);
    expect(await holdingsOf(person)).toEqual(before);
    const { items } = await person.payments.delegation.listDelegations();
    const made = items.find(({ name }) => name === "A single call");
    expect(made).toMatchObject({ status: "Revoked", spendingLimitCents: 0n });
    await expect
      .poll(async () => await builder.figures.getFunnel())
      .toMatchObject({ challenged: 1, settled: 1 });
  });

  test("within a delegation of the person's revokes its token alone", async () => {
    const world = await openWorld();
    const { person, planId } = world;
    await person.payments.plans.orderPlan(planId);
    const { delegationId } = await person.payments.delegation.createDelegation({
      spendingLimitCents: 500n,
      durationSecs: 3_600,
    });
    const caller = await openRunCaller(service, callerOf(person), "own");
    const { permission } = await caller.mint({
      accepted: { planId },
      delegationConfig: { delegationId },
    });
    await caller.end(permission);
    await caller.end(permission);
    expect(await holdingsOf(person)).toMatchObject({ active: 1, activeTokens: 0 });
  });

  test("is audited as a change of the person, who sent it from their address", async () => {
    const { person, planId } = await openWorld();
    await person.payments.plans.orderPlan(planId);
    const from = "192.0.2.7";
    const caller = await openRunCaller(service, callerOf(person), "own", from);
    await caller.mint({ accepted: { planId } });
    const { items } = await person.payments.audit.listAudit({ action: "token" });
    expect(items).toMatchObject([{ action: "token.mint", address: from }]);
  });

  test("ends its permission when it stops before paying", async () => {
    const world = await openWorld();
    const { person, planId } = world;
    const playground = await serviceOf(person, "test");
    const events = runPlayground({
      input: {
        method: "POST",
        url: world.endpoint,
        headers: [],
        body: "{}",
        token: { kind: "test" },
      },
      service: playground,
      signal: new AbortController().signal,
      mayStep: async (id) => (id === "pay" ? "stop" : "go"),
      async transport(request, { signal }) {
        const sending = { outbound: world.agent, account: person.address, request, signal };
        for await (const event of sendForPlayground(sending)) {
          if (event.type === "done") return { request, ...event.exchange };
        }
        throw new Error("The request had no end.");
      },
    });
    let isMinted = false;
    for await (const event of events) {
      if (event.type === "step" && event.step.outcome === "ready") isMinted = true;
    }
    expect(isMinted).toBe(true);
    const { account } = await openRunCaller(service, callerOf(person), "test");
    const { items } = await service.ports.delegations.list(account, {});
    expect(items.map(({ revokedAt }) => revokedAt !== null)).toEqual([true]);
    expect(planId).toBeTruthy();
  });

  test("orders a free plan for the test customer, once a trial is not used up", async () => {
    for (const isTrial of [false, true]) {
      const world = await openWorld({
        price: getFreePriceConfig(),
        credits: getFixedCreditsConfig(2n, 1n),
        isTrial,
      });
      const moneys: unknown[] = [];
      for (let run = 0; run < 3; run++) {
        moneys.push((await play(world, "test", { kind: "test" })).money);
      }
      expect(moneys).toEqual(["settled", "settled", isTrial ? "refused" : "settled"]);
    }
  });
});

describe("a test customer", () => {
  test("is one per account, also when made at the same time", async () => {
    const person = await service.party();
    const callers = await Promise.all(
      Array.from({ length: 5 }, () => openRunCaller(service, callerOf(person), "test")),
    );
    expect(new Set(callers.map(({ account }) => account)).size).toBe(1);
    expect(callers[0]?.account).not.toBe(person.address);
  });

  test("can't end what is another's", async () => {
    const [person, stranger] = await Promise.all([service.party(), service.party()]);
    const { delegationId } = await stranger.payments.delegation.createDelegation({
      spendingLimitCents: 1n,
      durationSecs: 60,
    });
    const caller = await openRunCaller(service, callerOf(person), "test");
    await expect(
      caller.end({ delegationId, tokenId: "none", isItsOwn: true }),
    ).rejects.toMatchObject({ code: "not_found" });
  });
});
