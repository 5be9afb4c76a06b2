import { buildPaymentRequired, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { decide } from "../permissions/decide.ts";

const SECRET_KEY = new Uint8Array(32).fill(7);

describe.each(ruleStores())("a token's end on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;
  let calls: ReturnType<typeof createPermissionCalls>;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, { secretKey: SECRET_KEY });
    market = await createMarket(service, { credits: getFixedCreditsConfig(1000n, 1n) });
    calls = createPermissionCalls(service, market);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const mint = (options: object = {}) =>
    market.subscriber.payments.x402.getX402AccessToken(market.planId, market.agentId, options);
  const revoke = (tokenId: string) =>
    service.call(market.subscriber, "DELETE", `/x402/permissions/${tokenId}`);
  const revokeDelegation = (delegationId: string) =>
    service.call(market.subscriber, "DELETE", `/delegation/${delegationId}`);
  const now = async () => (await service.ports.clock.now()).getTime();
  const hold = async (token: string) => {
    const agentRequestId = freshId();
    const { body } = await calls.verify({ token, reserve: true, agentRequestId });
    expect(body).toMatchObject({ isValid: true });
    return agentRequestId;
  };

  test("T08: comes at its time: before it is good, after it is expired", async () => {
    const { accessToken: token, expiresAt } = await mint({
      expiration: new Date((await now()) + 600_000).toISOString(),
    });
    const end = Date.parse(expiresAt);
    const advanceTo = async (instant: number) => {
      const seconds = Math.floor((instant - (await now())) / 1000);
      await service.call(market.subscriber, "POST", "/sandbox/clock", { seconds });
    };
    // The clock goes on while the calls before the end are made.
    await advanceTo(end - 20_000);
    expect(end - (await now())).toBeGreaterThan(0);
    expect(await calls.codes({ token })).toEqual({ verify: "ok", settle: "ok" });
    const held = await hold(token);
    // Whole seconds leave up to 21 of them.
    await service.call(market.subscriber, "POST", "/sandbox/clock", { seconds: 22 });
    expect(end - (await now())).toBeLessThanOrEqual(0);
    expect(await calls.codes({ token })).toEqual({
      verify: "expired_token",
      settle: "expired_token",
    });
    // A request held before is still paid.
    expect((await calls.settle({ token, agentRequestId: held })).body).toMatchObject({
      success: true,
    });
    await service.call(market.subscriber, "POST", "/sandbox/clock", { seconds: 86_400 });
    expect(await calls.codes({ token })).toEqual({
      verify: "expired_token",
      settle: "expired_token",
    });
  });

  test.each([-90_000, 90_000])(
    "T52: is decided by the database's clock, by a replica whose own is %i s off",
    async (secs) => {
      const brief = await mint({ expiration: new Date((await now()) + 60_000).toISOString() });
      const long = await mint();
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + secs * 1000 });
      try {
        const replica = createTestService(database, { secretKey: SECRET_KEY });
        const asked = createPermissionCalls(replica, market);
        const codesOf = (token: string) => asked.codes({ token });
        const ok = { verify: "ok", settle: "ok" };
        const expired = { verify: "expired_token", settle: "expired_token" };
        expect([await codesOf(brief.accessToken), await codesOf(long.accessToken)]).toEqual([
          ok,
          ok,
        ]);
        await replica.ports.clock.advance(61);
        expect([await codesOf(brief.accessToken), await codesOf(long.accessToken)]).toEqual([
          expired,
          ok,
        ]);
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test("T08: at the exact instant of its end a token is expired", async () => {
    const { accessToken: token, tokenId } = await mint();
    const facts = await service.ports.ledger.readFacts({
      keyHash: service.ports.crypto.digest(market.builder.apiKey),
      jti: tokenId,
      planId: market.planId,
      agentId: market.agentId,
      agentRequestId: null,
    });
    const { caller } = facts;
    if (!caller) throw new Error("no caller");
    const { ports } = service;
    const ask = (at: number) =>
      decide({
        intent: "settle",
        rails: ports.rails,
        holder: "bearer",
        inspected: ports.inspectToken(token),
        facts: { ...facts, caller, now: new Date(at) },
        fingerprint: "",
        request: {
          token,
          requirement: requirementOf(market),
          maxAmount: undefined,
          reserve: false,
          agentRequestId: "req_none",
          fingerprintText: () => "",
        },
      });
    const end = facts.token?.expiresAt.getTime() ?? 0;
    expect(ask(end - 1000)).toMatchObject({ kind: "settle" });
    expect(ask(end - 1)).toMatchObject({ kind: "settle" });
    expect(ask(end)).toMatchObject({ kind: "refuse", cause: "token_expired" });
    expect(ask(end + 1000)).toMatchObject({ kind: "refuse", cause: "token_expired" });
  });

  test("a delegation's end is its tokens' end, and no token outlives it", async () => {
    const { accessToken: token, expiresAt } = await mint({
      delegationConfig: { spendingLimitCents: 100, durationSecs: 60 },
    });
    expect(Date.parse(expiresAt) - (await now())).toBeLessThanOrEqual(60_000);
    expect(await calls.codes({ token })).toEqual({ verify: "ok", settle: "ok" });
    await service.call(market.subscriber, "POST", "/sandbox/clock", { seconds: 61 });
    expect(await calls.codes({ token })).toEqual({
      verify: "expired_token",
      settle: "expired_token",
    });
  });

  test("T09: a revoked token is refused by the next verify and settle", async () => {
    const { accessToken: token, tokenId } = await mint();
    expect(await calls.codes({ token })).toEqual({ verify: "ok", settle: "ok" });
    expect((await revoke(tokenId)).status).toBe(200);
    expect(await calls.codes({ token })).toEqual({
      verify: "invalid_token",
      settle: "invalid_token",
    });
    expect((await calls.verify({ token })).body).toMatchObject({ detail: "token_revoked" });
  });

  test("T09: a revoked delegation ends every token under it, and mints no more", async () => {
    const { accessToken: first, delegationId } = await mint();
    const { accessToken: second } = await mint({ delegationConfig: { delegationId } });
    const answer = await revokeDelegation(delegationId);
    expect(await answer.json()).toEqual({ success: true, tokensRevoked: 2 });
    for (const token of [first, second]) {
      expect(await calls.codes({ token })).toEqual({
        verify: "invalid_token",
        settle: "invalid_token",
      });
    }
    await expect(mint({ delegationConfig: { delegationId } })).rejects.toMatchObject({
      code: "invalid_input",
    });
    const again = await revokeDelegation(delegationId);
    expect(await again.json()).toEqual({ success: true, tokensRevoked: 0 });
  });

  test.each([
    { spendingLimitCents: 10 },
    { maxTransactions: 1 },
    { durationSecs: 10 },
    { currency: "usd" as const },
    { planIds: ["1"] },
    { providerPaymentMethodId: "pm_another" },
  ])("%o beside a delegation's id is refused: it would change nothing", async (limit) => {
    const { delegationId } = await mint();
    const path = `delegationConfig.${Object.keys(limit)[0]}`;
    await expect(mint({ delegationConfig: { delegationId, ...limit } })).rejects.toMatchObject({
      code: "invalid_input",
      details: [{ path }],
    });
  });

  test.each(["token", "delegation"])(
    "a request held before its %s was revoked is paid, a later one is not",
    async (what) => {
      const { accessToken: token, tokenId, delegationId } = await mint();
      const held = await hold(token);
      const plain = freshId();
      expect((await calls.verify({ token, agentRequestId: plain })).body).toMatchObject({
        isValid: true,
      });
      if (what === "token") await revoke(tokenId);
      else await revokeDelegation(delegationId);
      // Only a hold is a promise; a dry run is not.
      expect((await calls.settle({ token, agentRequestId: plain })).body).toMatchObject({
        errorReason: "invalid_token",
      });
      const settled = await calls.settle({ token, agentRequestId: held });
      expect(settled.body).toMatchObject({ success: true, creditsRedeemed: "1" });
      expect((await calls.settle({ token, agentRequestId: held })).body).toEqual(settled.body);
      expect((await calls.verify({ token, reserve: true })).body).toMatchObject({
        invalidReason: "invalid_token",
      });
    },
  );

  test("a hold of one token does not pay for another", async () => {
    const [{ accessToken: a }, { accessToken: b, tokenId }] = [await mint(), await mint()];
    const held = await hold(a);
    await revoke(tokenId);
    const { body } = await calls.settle({ token: b, agentRequestId: held });
    expect(body).toMatchObject({ success: false, errorReason: "invalid_token" });
    expect((await calls.settle({ token: a, agentRequestId: held })).body).toMatchObject({
      success: true,
    });
  });

  test("a held request is paid even if its agent left the plan or moved meanwhile", async () => {
    const { builder, planId, agentId } = market;
    const { accessToken: token } = await mint();
    const held = await hold(token);
    await service.call(builder, "DELETE", `/protocol/agents/${agentId}/plan/${planId}`);
    expect(await calls.codes({ token })).toEqual({
      verify: "invalid_agent",
      settle: "invalid_agent",
    });
    expect((await calls.settle({ token, agentRequestId: held })).body).toMatchObject({
      success: true,
    });
    await service.call(builder, "POST", `/protocol/agents/${agentId}/plan/${planId}`);
    expect(await calls.codes({ token })).toEqual({ verify: "ok", settle: "ok" });
  });

  test("T09: settles racing a revocation are each wholly before or after it", async () => {
    const { accessToken: token, tokenId } = await mint();
    const settles = Array.from({ length: 60 }, async (_, index) => {
      await new Promise((wake) => setTimeout(wake, index % 20));
      return (await calls.settle({ token })).body;
    });
    await new Promise((wake) => setTimeout(wake, 10));
    await revoke(tokenId);
    const results = await Promise.all(settles);
    for (const result of results.filter(({ success }) => !success)) {
      expect(result).toMatchObject({ errorReason: "invalid_token" });
    }
    expect((await calls.settle({ token })).body).toMatchObject({ errorReason: "invalid_token" });
  });

  test("T03: a token of one plan opens no other, each opens its own of two offers", async () => {
    const other = await createMarket(service);
    const { accessToken } = await mint();
    expect(await createPermissionCalls(service, other).codes({ token: accessToken })).toEqual({
      verify: "invalid_plan",
      settle: "invalid_plan",
    });
    const requirement = requirementOf(market);
    const [foreign] = buildPaymentRequired({ ...other, httpVerb: "POST" }).accepts;
    const both = { ...requirement, accepts: [foreign, ...requirement.accepts] };
    const { accessToken: token } = await mint();
    expect(await calls.codes({ token, requirement: both as typeof requirement })).toEqual({
      verify: "ok",
      settle: "ok",
    });
  });
});
