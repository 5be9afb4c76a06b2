import { getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

describe.each(ruleStores())("leases on $name", ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const MINUTE = 60;
  async function pass(seconds: number) {
    await service.ports.clock.advance(seconds);
    await service.ports.ledger.sweep();
  }

  /** A subscriber with 10 credits, and one request that has reserved 4 of them. */
  async function begin() {
    const market = await createMarket(service, { credits: getFixedCreditsConfig(10n, 4n) });
    const calls = createPermissionCalls(service, market);
    const agentRequestId = freshId();
    const verified = await calls.verify({ reserve: true, agentRequestId });
    expect(verified.body).toMatchObject({ isValid: true });
    const { facilitator } = market.builder.payments;
    const renew = async () => {
      const { items } = await facilitator.renewPermissions({ agentRequestIds: [agentRequestId] });
      return items[0];
    };
    const revoke = () => market.subscriber.payments.tokens.revokeToken(market.tokenId);
    return { market, calls, agentRequestId, renew, revoke, facilitator };
  }

  test("work of an hour is paid although its token was revoked and other requests want its credits", async () => {
    const { calls, agentRequestId, renew, revoke } = await begin();
    for (let minutes = 0; minutes < 60; minutes += 4) {
      await pass(4 * MINUTE);
      expect(await renew()).toMatchObject({ state: "held" });
    }
    await revoke();
    await pass(4 * MINUTE);
    expect(await renew()).toMatchObject({ state: "held" });
    await pass(4 * MINUTE);
    const settled = await calls.settle({ agentRequestId });
    expect(settled.body).toMatchObject({ success: true, creditsRedeemed: "4" });
    expect(await renew()).toEqual({ agentRequestId, state: "posted" });
  });

  test("a reservation ends five minutes after its gate fell silent, and a revoked token pays nothing then", async () => {
    const { market, calls, agentRequestId, renew, revoke } = await begin();
    await pass(4 * MINUTE);
    await renew();
    await revoke();
    await pass(5 * MINUTE + 1);
    expect(await renew()).toEqual({ agentRequestId, state: "expired" });
    expect((await calls.settle({ agentRequestId })).body).toMatchObject({ success: false });
    const balance = await market.subscriber.payments.plans.getPlanBalance(market.planId);
    expect(balance).toMatchObject({ balance: 10n, held: 0n });
  });

  test("no renewal carries a reservation past 24 hours after its verify", async () => {
    const { renew } = await begin();
    const began = (await service.ports.clock.now()).getTime();
    const cap = began + 24 * 60 * MINUTE * 1000;
    for (let hours = 0; hours < 24; hours++) {
      // The sweep runs after a renewal here, as if every lease were an hour.
      await service.ports.clock.advance(60 * MINUTE - 1);
      const renewed = await renew();
      if (renewed?.state !== "held") break;
      expect(Date.parse(renewed.reservedUntil ?? "")).toBeLessThanOrEqual(cap + 1000);
    }
    await pass(10 * MINUTE);
    expect(await renew()).toMatchObject({ state: "expired" });
  });

  test("T16: one builder's ids say nothing about another builder's reservations", async () => {
    const mine = await begin();
    const other = await begin();
    const { items } = await other.facilitator.renewPermissions({
      agentRequestIds: [mine.agentRequestId, other.agentRequestId, freshId()],
    });
    expect(items.map(({ state }) => state)).toEqual(["unknown", "held", "unknown"]);
  });

  test("a thousand ids are renewed in one call, more are refused", async () => {
    const { facilitator, agentRequestId } = await begin();
    const others = Array.from({ length: 999 }, () => freshId());
    const { items } = await facilitator.renewPermissions({
      agentRequestIds: [agentRequestId, ...others],
    });
    expect(items).toHaveLength(1000);
    await expect(
      facilitator.renewPermissions({ agentRequestIds: [...others, ...others] }),
    ).rejects.toMatchObject({ code: "invalid_input" });
  });
});
