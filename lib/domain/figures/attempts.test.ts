import { createGate } from "@turnpike/payments";
import {
  getErc20PriceConfig,
  getFixedCreditsConfig,
  type RequestRecord,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { ATTEMPT_CAUSES } from "@/lib/console/attempt-causes.ts";
import { explainAttempt } from "@/lib/console/attempt-remedies.ts";

import type { ChargeOutcome } from "@/lib/domain/orders/order-ports.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import { createPretendRail } from "@/lib/server/testing/pretend-rail.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

import { CAUSES } from "../permissions/causes.ts";

const RECEIVER = "0x000000000000000000000000000000000000dEaD";

describe.each(ruleStores())("attempts on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  /** How the next payment ends, where it is not paid. */
  let charge: (() => Promise<ChargeOutcome>) | undefined;
  let usdc: string;

  beforeAll(async () => {
    database = await open();
    const rail = createPretendRail();
    const answering: typeof rail = {
      ...rail,
      charge: (...order) => charge?.() ?? rail.charge(...order),
    };
    service = createTestService(database, { rails: [answering] });
    usdc = [...service.ports.stableTokens.keys()][0] ?? "";
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const flush = () => service.ports.refusals.flush();
  const list = async (party: TestParty, query: string) => {
    const answer = await service.call(party, "GET", `/requests?${query}`);
    expect(answer.status).toBe(200);
    return (await answer.json()) as { items: RequestRecord[]; total: number };
  };
  const find = async (party: TestParty, id: string) =>
    (await (await service.call(party, "GET", `/requests/${id}`)).json()) as RequestRecord;
  const report = (market: TestMarket, more: Record<string, unknown>) =>
    market.builder.payments.requests.reportRequests({
      requests: [
        {
          at: new Date().toISOString(),
          method: "POST",
          path: "/ask",
          planId: market.planId,
          agentId: market.agentId,
          httpStatus: 200,
          moneyStatus: "unknown",
          ...more,
        },
      ],
    });
  const reserve = (market: TestMarket, agentRequestId: string, token = market.token) =>
    createPermissionCalls(service, market).verify({ reserve: true, agentRequestId, token });
  const dollars = (units: number) =>
    getErc20PriceConfig(BigInt(units) * 1_000_000n, usdc, RECEIVER);
  const paidMarket = () =>
    createMarket(service, {
      price: dollars(1),
      credits: getFixedCreditsConfig(10n, 10n),
      order: false,
    });
  const mint = async ({ subscriber, planId, agentId }: TestMarket, options: object = {}) =>
    subscriber.payments.x402.getX402AccessToken(planId, agentId, {
      redemptionLimit: 1000,
      delegationConfig: { spendingLimitCents: 10_000, durationSecs: 3600 },
      ...options,
    });

  test("a refused request is seen by its payer and names its token to its builder", async () => {
    const market = await createMarket(service);
    await market.subscriber.payments.tokens.revokeToken(market.tokenId);
    const id = freshId();
    expect((await reserve(market, id)).body).toMatchObject({ isValid: false });
    await flush();
    for (const [party, role] of [
      [market.subscriber, "subscriber"],
      [market.builder, "builder"],
    ] as const) {
      const { items, total } = await list(party, `role=${role}`);
      expect(total).toBe(1);
      expect(items[0]).toMatchObject({
        agentRequestId: id,
        moneyStatus: "refused",
        payer: market.subscriber.address,
        tokenId: market.tokenId,
        planId: market.planId,
        agentId: market.agentId,
        cause: "token_revoked",
        whoActs: "payer",
        path: "/ask",
      });
      expect(await find(party, id)).toEqual(items[0]);
    }
    const series = await market.subscriber.figures.getActivitySeries({ role: "subscriber" });
    expect(series.totals.refused).toBe(1);
  });

  test("Home, chart, table and Reconcile agree on an unsettled call, for both sides", async () => {
    const market = await createMarket(service);
    const [open, running] = [freshId(), freshId()];
    await reserve(market, open);
    await reserve(market, running);
    await report(market, { agentRequestId: open, moneyStatus: "delivered-unsettled" });
    const query = "moneyStatus=delivered-unsettled,unknown";
    for (const [party, role] of [
      [market.subscriber, "subscriber"],
      [market.builder, "builder"],
    ] as const) {
      const home = await party.figures.getHome();
      expect([role, home[role].unsettled]).toEqual([role, 1]);
      const { totals } = await party.figures.getActivitySeries({ role });
      expect(totals["delivered-unsettled"] + totals.unknown).toBe(1);
      const { items } = await list(party, `role=${role}&${query}`);
      // A call that is under way is listed, and counted nowhere until it ends.
      expect(items.filter(({ httpStatus }) => httpStatus !== undefined)).toHaveLength(1);
    }
    const queue = await market.builder.payments.requests.listUnsettledRequests();
    expect(queue.items.map(({ agentRequestId }) => agentRequestId)).toEqual([open]);
    expect(queue.total).toBe(1);
  });

  type Scene = {
    market: TestMarket;
    id: string;
    /** What the payer's side and the builder's side each read. */
    cause: string | undefined;
    told?: string;
    whoActs: "payer" | "builder" | "operator" | undefined;
    button?: string;
    moneyStatus?: RequestRecord["moneyStatus"];
  };
  type Outcome = Omit<Scene, "market" | "id"> & {
    make: () => Promise<{ market: TestMarket; id: string }>;
  };

  const refusedWith = async (market: TestMarket, token = market.token) => {
    const id = freshId();
    expect((await reserve(market, id, token)).body).toMatchObject({ isValid: false });
    return { market, id };
  };
  const held = async () => {
    const market = await createMarket(service);
    const id = freshId();
    expect((await reserve(market, id)).body).toMatchObject({ isValid: true });
    return { market, id };
  };
  /** A paid plan whose payment ends like this. */
  const chargedWith = async (code: string) => {
    const market = await paidMarket();
    const { accessToken } = await mint(market);
    charge = async () => ({ status: "refused", code, message: "No." });
    return refusedWith(market, accessToken);
  };

  const OUTCOMES: Record<string, Outcome> = {
    "revoked token": {
      ...{ cause: "token_revoked", whoActs: "payer", button: "Mint a token" },
      async make() {
        const market = await createMarket(service);
        await market.subscriber.payments.tokens.revokeToken(market.tokenId);
        return refusedWith(market);
      },
    },
    "expired token": {
      ...{ cause: "token_expired", whoActs: "payer", button: "Mint a token" },
      async make() {
        const market = await createMarket(service);
        const { accessToken } = await mint(market, {
          expiration: new Date(Date.now() + 60_000).toISOString(),
        });
        await service.ports.clock.advance(61);
        return refusedWith(market, accessToken);
      },
    },
    "used-up token": {
      ...{ cause: "redemption_limit", whoActs: "payer", button: "Mint a token" },
      async make() {
        const market = await createMarket(service, { redemptionLimit: 1 });
        await createPermissionCalls(service, market).settle();
        return refusedWith(market);
      },
    },
    "revoked delegation": {
      ...{ cause: "token_revoked", whoActs: "payer", button: "Mint a token" },
      async make() {
        const market = await createMarket(service);
        const { accessToken, delegationId } = await mint(market);
        await market.subscriber.payments.delegation.revokeDelegation(delegationId);
        return refusedWith(market, accessToken);
      },
    },
    "exhausted delegation": {
      ...{ cause: "max_transactions", whoActs: "payer", button: "Renew the delegation" },
      async make() {
        const market = await paidMarket();
        const limits = { spendingLimitCents: 10_000, durationSecs: 3600, maxTransactions: 1 };
        const { accessToken: token } = await mint(market, { delegationConfig: limits });
        await createPermissionCalls(service, market).settle({ token });
        return refusedWith(market, token);
      },
    },
    "spending limit": {
      ...{ cause: "spending_limit", whoActs: "payer", button: "Raise the limit" },
      async make() {
        const market = await paidMarket();
        const limits = { spendingLimitCents: 150, durationSecs: 3600 };
        const first = await mint(market, { delegationConfig: limits });
        const { delegationId } = first;
        const second = await mint(market, { delegationConfig: { delegationId } });
        await createPermissionCalls(service, market).settle({ token: first.accessToken });
        return refusedWith(market, second.accessToken);
      },
    },
    "card declined": {
      ...{ cause: "declined", whoActs: "payer", button: "Open payment methods" },
      make: () => chargedWith("card_declined"),
    },
    "3-D Secure needed": {
      ...{ cause: "authentication_required", whoActs: "payer", button: "Confirm the payment" },
      make: () => chargedWith("authentication_required"),
    },
    "gas budget": {
      ...{ cause: "gas_budget", whoActs: "payer", button: "Buy credits" },
      make: () => chargedWith("gas_budget"),
    },
    "price changed": {
      ...{ cause: "price_changed", whoActs: "payer", button: "Check the price" },
      async make() {
        const market = await paidMarket();
        const { accessToken } = await mint(market);
        await market.builder.payments.plans.updatePlan(market.planId, { priceConfig: dollars(9) });
        return refusedWith(market, accessToken);
      },
    },
    "no credits": {
      ...{ cause: "no_credits", whoActs: "payer", button: "Buy credits" },
      async make() {
        const market = await createMarket(service, { credits: getFixedCreditsConfig(1n, 1n) });
        await createPermissionCalls(service, market).settle();
        return refusedWith(market);
      },
    },
    "wrong agent": {
      ...{ cause: "other_agent", whoActs: "payer", button: "Mint a token" },
      async make() {
        const market = await createMarket(service);
        const { agentId } = await market.builder.payments.agents.registerAgent(
          { name: "Other" },
          { endpoints: [], agentDefinitionUrl: "https://agent.example/other.json" },
          [market.planId],
        );
        const { id } = await refusedWith({ ...market, agentId });
        return { market, id };
      },
    },
    "plan not linked": {
      ...{
        cause: "plan_not_linked",
        told: "builder_setup",
        whoActs: "builder",
        button: "Link the plan",
      },
      async make() {
        const market = await createMarket(service);
        await market.builder.payments.agents.removePlanFromAgent(market.agentId, market.planId);
        return refusedWith(market);
      },
    },
    unsettled: {
      ...{
        cause: "delivered-unsettled",
        whoActs: "builder",
        button: "Reconcile",
        moneyStatus: "delivered-unsettled",
      },
      async make() {
        const scene = await held();
        await report(scene.market, {
          agentRequestId: scene.id,
          moneyStatus: "delivered-unsettled",
        });
        return scene;
      },
    },
    unknown: {
      ...{ cause: "unknown", whoActs: "builder", button: "Reconcile", moneyStatus: "unknown" },
      async make() {
        const scene = await held();
        await service.ports.clock.advance(301);
        while ((await service.ports.ledger.sweep()) > 0);
        return scene;
      },
    },
    "not charged": {
      ...{
        cause: "status_500",
        whoActs: "builder",
        button: "Open the agent",
        moneyStatus: "not-charged",
      },
      async make() {
        const { market, id } = await held();
        await market.builder.payments.facilitator.releasePermissions({ agentRequestId: id });
        const seen = { moneyStatus: "not-charged", httpStatus: 500, reason: "status_500" };
        await report(market, { agentRequestId: id, ...seen });
        return { market, id };
      },
    },
    "in progress": { cause: undefined, whoActs: undefined, moneyStatus: "unknown", make: held },
    settled: {
      ...{ cause: undefined, whoActs: undefined, moneyStatus: "settled" },
      async make() {
        const market = await createMarket(service);
        const id = freshId();
        await createPermissionCalls(service, market).settle({ agentRequestId: id });
        return { market, id };
      },
    },
  };

  test.each(Object.keys(OUTCOMES))(
    "%s: one cause, one who acts, one button, on both sides",
    async (name) => {
      const outcome = OUTCOMES[name];
      if (!outcome) throw new Error(name);
      const { make, cause, told = cause, whoActs, button, moneyStatus = "refused" } = outcome;
      const { market, id } = await make();
      charge = undefined;
      await flush();
      const toBuilder = await find(market.builder, id);
      const toPayer = await find(market.subscriber, id);
      expect([toBuilder.cause, toBuilder.whoActs]).toEqual([cause, whoActs]);
      expect([toPayer.cause, toPayer.whoActs]).toEqual([told, whoActs]);
      for (const record of [toBuilder, toPayer]) {
        expect(record).toMatchObject({ moneyStatus, payer: market.subscriber.address });
        expect(record.tokenId).toBeDefined();
      }
      expect(toBuilder).not.toHaveProperty("delegationId");
      expect(toPayer).not.toHaveProperty("reason");
      expect(toPayer.delegationId).toBeDefined();
      const { action: builders, ...forBuilder } = explainAttempt(toBuilder, "builder");
      const { action: payers, ...forPayer } = explainAttempt(toPayer, "subscriber");
      expect([payers?.label, builders?.label]).toEqual([
        whoActs === "payer" ? button : undefined,
        whoActs === "builder" ? button : undefined,
      ]);
      if (whoActs) expect(forPayer.remedy).not.toBe(forBuilder.remedy);
      // The lists and their filters say the same as the record.
      for (const [party, record, role] of [
        [market.builder, toBuilder, "builder"],
        [market.subscriber, toPayer, "subscriber"],
      ] as const) {
        const filters = `role=${role}&tokenId=${record.tokenId}${record.cause ? `&cause=${record.cause}` : ""}`;
        const found = await list(party, filters);
        expect(found.items).toContainEqual(record);
        expect(found.total).toBe(found.items.length);
        const { causes } = await party.figures.getCauses({ role });
        const counted = causes.find((row) => row.cause === record.cause);
        expect(counted?.whoActs).toBe(whoActs);
        expect(counted === undefined).toBe(record.cause === undefined);
      }
      expect(
        (await list(market.builder, `payer=${market.subscriber.address}&search=${id}`)).total,
      ).toBe(1);
    },
  );

  test("every cause that a payer can meet is in the table of remedies", () => {
    // Before a token is proven there is no payer; these two are refused to who does not own the plan.
    const unseen = ["unknown_plan", "not_your_plan"];
    const missing = Object.entries(CAUSES).filter(
      ([cause, [reason, text]]) =>
        !Object.hasOwn(ATTEMPT_CAUSES, cause) &&
        (text !== undefined || reason !== "invalid_token") &&
        !unseen.includes(cause),
    );
    expect(missing).toEqual([]);
  });

  test("the gate's report and the service's refusal are one request, whichever comes first", async () => {
    const market = await createMarket(service);
    await market.subscriber.payments.tokens.revokeToken(market.tokenId);
    const seen: string[] = [];
    const gate = createGate(
      market.builder.payments,
      { "POST /ask": { planId: market.planId, agentId: market.agentId } },
      {
        report: false,
        observe: (event) => {
          if (event.type === "request") seen.push(event.agentRequestId ?? "none");
        },
      },
    );
    const ask = () =>
      gate(
        new Request("https://agent.example/ask", {
          method: "POST",
          headers: { "payment-signature": market.token },
        }),
        () => new Response("hello"),
      );
    const told = (agentRequestId: string | undefined) =>
      report(market, {
        agentRequestId,
        httpStatus: 402,
        moneyStatus: "refused",
        reason: "invalid_token",
        verifyMs: 3,
      });
    expect((await ask()).status).toBe(402);
    await told(seen[0]);
    await flush();
    await ask();
    await flush();
    await told(seen[1]);
    const { items, total } = await list(market.builder, "");
    expect(total).toBe(2);
    for (const row of items)
      expect(row).toMatchObject({
        cause: "token_revoked",
        reason: "invalid_token",
        verifyMs: 3,
        payer: market.subscriber.address,
      });
    expect((await list(market.subscriber, "role=subscriber")).items).toHaveLength(2);
  });

  test("a call that passed later under its id is not told by its earlier refusal", async () => {
    const market = await paidMarket();
    const { accessToken } = await mint(market, {
      delegationConfig: { spendingLimitCents: 50, durationSecs: 3600 },
    });
    const { id } = await refusedWith(market, accessToken);
    await flush();
    await market.subscriber.payments.plans.orderPlan(market.planId);
    expect((await reserve(market, id, accessToken)).body).toMatchObject({ isValid: true });
    const running = await find(market.subscriber, id);
    expect(running).toMatchObject({ moneyStatus: "unknown" });
    expect(running).not.toHaveProperty("cause");
    expect(running).not.toHaveProperty("httpStatus");
    const { totals } = await market.builder.figures.getActivitySeries();
    expect(totals.refused).toBe(0);
  });

  test("T29: what a gate says in its own words, and a builder's setup, stay the builder's", async () => {
    const { market, id } = await held();
    await market.builder.payments.facilitator.releasePermissions({ agentRequestId: id });
    const secret = "customer is on the blocklist of Meridian";
    await report(market, { agentRequestId: id, moneyStatus: "not-charged", reason: secret });
    expect(await find(market.builder, id)).toMatchObject({ cause: secret, reason: secret });
    const answers = [
      await find(market.subscriber, id),
      await list(market.subscriber, "role=subscriber"),
      await market.subscriber.figures.getCauses({ role: "subscriber" }),
    ];
    expect(JSON.stringify(answers)).not.toContain("blocklist");
    expect((await list(market.subscriber, "role=subscriber&cause=plan_not_linked")).total).toBe(0);
  });

  test("who asks about a token without being its plan's builder writes nothing to its payer's list", async () => {
    const market = await createMarket(service);
    const stranger = await service.party();
    await market.subscriber.payments.tokens.revokeToken(market.tokenId);
    const calls = createPermissionCalls(service, market);
    await calls.verify({ caller: stranger, reserve: true, agentRequestId: freshId() });
    await calls.verify({ caller: market.subscriber });
    await calls.verify({ token: "garbage", reserve: true });
    await calls.settle({ token: `${market.token.slice(0, -8)}AAAAAAA=` });
    expect(await flush()).toBe(0);
    expect((await list(market.subscriber, "role=subscriber")).total).toBe(0);
    expect((await list(market.builder, "")).total).toBe(0);
  });
});
