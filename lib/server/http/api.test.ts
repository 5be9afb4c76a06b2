import { buildPaymentRequired, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "../testing/test-service.ts";

describe.each(ruleStores())("the paid call on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;
  const requirement = () =>
    buildPaymentRequired({
      planId: market.planId,
      endpoint: market.endpoint,
      agentId: market.agentId,
      httpVerb: "POST",
    });

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    market = await createMarket(service, { credits: getFixedCreditsConfig(100n, 3n) });
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  test("verify takes nothing, settle takes the credits once", async () => {
    const { builder, subscriber, planId, token } = market;
    const verification = await builder.payments.facilitator.verifyPermissions({
      paymentRequired: requirement(),
      x402AccessToken: token,
    });
    expect(verification).toMatchObject({
      isValid: true,
      payer: subscriber.address,
      credits: "3",
      balance: "100",
    });
    const settle = () =>
      builder.payments.facilitator.settlePermissions({
        paymentRequired: requirement(),
        x402AccessToken: token,
        agentRequestId: verification.isValid ? verification.agentRequestId : "",
      });
    const first = await settle();
    expect(first).toMatchObject({ success: true, creditsRedeemed: "3", remainingBalance: "97" });
    expect(await settle()).toEqual(first);
    const balance = await subscriber.payments.plans.getPlanBalance(planId);
    expect(balance).toMatchObject({ balance: 97n, isSubscriber: true });
  });

  test("a hold is posted by settle, given back by release", async () => {
    const { builder, subscriber, planId, token } = market;
    const verify = () =>
      builder.payments.facilitator.verifyPermissions({
        paymentRequired: requirement(),
        x402AccessToken: token,
        reserve: true,
      });
    const [kept, dropped] = [await verify(), await verify()];
    if (!kept.isValid || !dropped.isValid) throw new Error("refused");
    const held = await subscriber.payments.plans.getPlanBalance(planId);
    expect(held).toMatchObject({ balance: 97n, held: 6n });
    const released = await builder.payments.facilitator.releasePermissions({
      agentRequestId: dropped.agentRequestId,
    });
    expect(released).toEqual({ success: true, released: "3" });
    const settled = await builder.payments.facilitator.settlePermissions({
      paymentRequired: requirement(),
      x402AccessToken: token,
      agentRequestId: kept.agentRequestId,
    });
    expect(settled).toMatchObject({ success: true, creditsRedeemed: "3", remainingBalance: "94" });
    expect(await subscriber.payments.plans.getPlanBalance(planId)).toMatchObject({
      balance: 94n,
      held: 0n,
    });
  });
});
