import {
  type AccessToken,
  decodeAccessToken,
  encodeAccessToken,
  getFixedCreditsConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setDelegationBudgets } from "@/lib/domain/budgets/budgets.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { codeOf, createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import type { Database } from "../client.ts";
import { brokenRules, ruleStores } from "../testing/stores.ts";

const MOST = 2n ** 256n - 1n;

/** What one tenant sends must not reach what another one is answered, nor stop the service. */
describe.each(ruleStores())("requests of several tenants on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    market = await createMarket(service, { credits: getFixedCreditsConfig(1_000n, 1n) });
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  test("an offer on another scheme does not lend its agent to the one that is paid", async () => {
    const { subscriber, planId } = market;
    const other = await createMarket(service);
    const minted = await subscriber.payments.x402.getX402AccessToken(planId, undefined, {
      redemptionLimit: 5,
    });
    const right = requirementOf(market);
    const [offer] = right.accepts;
    if (!offer) throw new Error("No offer.");
    const requirement = {
      ...right,
      accepts: [
        { ...offer, scheme: "unknown:scheme" },
        { ...offer, extra: { ...offer.extra, agentId: other.agentId } },
      ],
    };
    const calls = createPermissionCalls(service, market);
    const found = await calls.codes({ token: minted.accessToken, requirement });
    expect(found).toEqual({ verify: "invalid_agent", settle: "invalid_agent" });
    expect(await brokenRules(database)).toEqual([]);
  });

  test.each(["a\0b", "a\ud800b"])("a token with %j in its texts stops only itself", async (jti) => {
    const { crypto } = service.ports;
    const document = decodeAccessToken(market.token) as AccessToken;
    const { address, sealedKey } = crypto.createKey("session-key");
    const { signature: _, ...signed } = document.payload;
    const payload = {
      authorization: { ...signed.authorization, jti },
      sessionKey: { ...signed.sessionKey, address },
    };
    const signature = crypto.signToken(payload, sealedKey);
    const token = encodeAccessToken({ ...document, signature, payload: { ...payload, signature } });
    const calls = createPermissionCalls(service, market);
    const [forged, ...others] = await Promise.all([
      calls.verify({ token }),
      ...Array.from({ length: 20 }, () => calls.verify()),
    ]);
    for (const { status, body } of others) {
      expect({ status, code: codeOf(body) }).toEqual({ status: 200, code: "ok" });
    }
    expect(codeOf(forged?.body)).toBe("invalid_token");
  });

  longTest("a day of the most credits there are stops no other request", async () => {
    const whale = await service.party();
    const { plans, agents, delegation, x402 } = whale.payments;
    const { delegationId } = await delegation.createDelegation({
      spendingLimitCents: 100n,
      durationSecs: 3_600,
    });
    const limits = [{ period: "day", unit: "money", limit: 1n }] as const;
    await setDelegationBudgets(whale.context, { delegationId, limits: [...limits] });
    const { agentId } = await agents.registerAgent(
      { name: "Whale" },
      { endpoints: [{ POST: market.endpoint }], agentDefinitionUrl: "https://a.example/a.json" },
      [],
    );
    for (let count = 0; count < 10; count += 1) {
      const terms = getFixedCreditsConfig(MOST, MOST);
      const { planId } = await plans.registerCreditsPlan(
        { name: "Deep" },
        getFreePriceConfig(),
        terms,
      );
      await agents.addPlanToAgent(agentId, planId);
      await plans.orderPlan(planId);
      const { accessToken: token } = await x402.getX402AccessToken(planId, agentId, {
        redemptionLimit: 1,
        delegationConfig: { delegationId },
      });
      const deep = { ...market, builder: whale, subscriber: whale, planId, agentId, token };
      const theirs = createPermissionCalls(service, deep);
      const others = createPermissionCalls(service, market);
      const answers = await Promise.all([
        theirs.settle({ agentRequestId: freshId() }),
        ...Array.from({ length: 5 }, () => others.settle()),
      ]);
      expect(answers.map(({ body }) => codeOf(body))).toEqual(Array(6).fill("ok"));
    }
  });
});
