import { randomUUID } from "node:crypto";
import { getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import type { Database } from "../client.ts";
import { brokenRules, ruleStores } from "../testing/stores.ts";

const CREDITS = 1_000n;

// A request is decided by what was read before; another may have changed it since. So the ledger is asked itself.
describe.each(ruleStores())("what a hold and a settlement find changed, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** A subscriber who has paid for a request, so that a builder may reserve more than four. */
  async function trade() {
    market = await createMarket(service, {
      ...{ credits: getFixedCreditsConfig(CREDITS, 1n), redemptionLimit: 10_000 },
    });
    await market.builder.payments.facilitator.settlePermissions({
      ...{ paymentRequired: requirementOf(market), x402AccessToken: market.token },
      agentRequestId: freshId(),
    });
  }
  const request = () => ({
    builder: market.builder.address,
    agentRequestId: freshId(),
    account: market.subscriber.address,
    planId: market.planId,
    agentId: market.agentId,
    jti: market.tokenId,
    scheme: "svc:erc4337",
    subject: "POST /ask",
    orderTx: null,
  });
  const hold = async (amount: bigint, requests?: number) => {
    const more = { planVersion: 1, ttlMs: 60_000, ...(requests && { requests }) };
    return (await service.ports.ledger.hold({ ...request(), amount, ...more })).outcome;
  };
  const settle = async () => {
    const { delegationId } = (await service.ports.tokens.find(market.tokenId)) ?? {};
    const settlementId = randomUUID();
    const settled = await service.ports.ledger.settle({
      ...request(),
      ...{ settlementId, transaction: settlementId, fingerprint: "", amount: 1n, network: "n" },
      ...{ delegationId: delegationId ?? "", fromHold: false, chainStatus: "none", mirror: false },
      ...{ keyHash: null, resource: null },
    });
    return settled.outcome;
  };

  test("a builder holds 256 requests of a token at once, and not one more", async () => {
    await trade();
    expect(await hold(255n, 255)).toBe("held");
    expect([await hold(1n), await hold(1n)]).toEqual(["held", "crowded"]);
  });

  test("a hold takes no more credits than there are", async () => {
    await trade();
    expect(await hold(CREDITS)).toBe("insufficient");
    expect([await hold(CREDITS - 2n), await hold(2n)]).toEqual(["held", "insufficient"]);
  });

  test.each([
    ["revoked", "revoked_at = app_now()"],
    ["expired", "expires_at = app_now()"],
  ])("a token that was %s neither holds nor settles", async (_, change) => {
    await trade();
    expect([await hold(1n), await settle()]).toEqual(["held", "settled"]);
    await database.query(`update tokens set ${change} where jti = $1`, [market.tokenId]);
    expect([await hold(1n), await settle()]).toEqual(["stale", "stale"]);
  });
});
