import { randomBytes } from "node:crypto";
import { Payments } from "@turnpike/payments";
import {
  buildPaymentRequired,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
  PlanRedemptionType,
  type Settlement,
} from "@turnpike/payments/protocol";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyReceipt } from "@/lib/adapters/chain/bundler/burn-groups.ts";
import { revokeDelegationOnChain } from "@/lib/adapters/chain/grants/revocations.ts";
import { pollUntil } from "@/lib/adapters/chain/poll.ts";
import { createChainGrants } from "@/lib/adapters/db/chain/chain-grants.ts";
import { findProof } from "@/lib/adapters/db/chain/chain-proofs.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { type ChainTestService, startChainTestService } from "../testing/chain-service.ts";
import { createMarket, TEST_ORIGIN, type TestMarket } from "../testing/test-service.ts";
import { createChainServices } from "./chain-services.ts";

const PRICE = 1_000_000n;

describe.each(ruleStores())("a crypto plan on $name", ({ name, open }) => {
  let database: Database;
  let service: ChainTestService;
  let market: TestMarket;
  let receiver: string;

  beforeAll(async () => {
    database = await open();
    service = await startChainTestService(database);
    receiver = (await service.party({ isFunded: false })).address;
    market = await marketOf(receiver);
  });
  const marketOf = (paid: string, terms = {}) =>
    createMarket(service, {
      price: getCryptoPriceConfig(PRICE, paid, service.usdc),
      credits: getFixedCreditsConfig(100n, 1n),
      ...terms,
    });
  afterAll(async () => {
    await service.stop();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  test("without the contract that captures them, payments by exact are still looked up, and none are taken", async () => {
    const { captures: _, ...deployment } = service.deployment;
    const chain = {
      rpcUrl: service.chain.rpcUrl,
      deployment,
      settlerPrivateKey: service.adminPrivateKey,
    };
    const secretKeys = [randomBytes(32)];
    const { log } = service;
    const of = createChainServices({ environment: "sandbox", database, chain, secretKeys, log });
    expect([of.exact.takesPayments, of.exactRail.scheme]).toEqual([false, "exact"]);
    const { address: account } = await service.party();
    const transfer = { account, asset: service.usdc, payTo: receiver, value: 1n, secs: 60 };
    const { payment, block: sinceBlock } = await service.onChain.exact.sign(transfer);
    expect(await of.exact.findCapture({ id: "", ...payment, sinceBlock })).toBeNull();
  });

  test("an order pays the builder once and mints the credits on chain", async () => {
    const { subscriber, planId } = market;
    const order = () =>
      subscriber.payments.plans.orderPlan(planId, { idempotencyKey: "the one order" });
    const had = await service.money(receiver);
    const first = await order();
    const again = await order();
    expect(first).toMatchObject({ success: true, status: "minted" });
    expect(again).toMatchObject({ orderId: first.orderId, txHash: first.txHash });
    const receipt = await service.onChain.operator.client.getTransactionReceipt({
      hash: first.txHash as Hex,
    });
    expect(receipt.status).toBe("success");
    expect((await service.money(receiver)) - had).toBe(PRICE);
    await expectSame(service, market);
  });

  test("a settle's transaction burns its credits, and the chain agrees", async () => {
    const settlement = await settle(market);
    expect(settlement).toMatchObject({ success: true, creditsRedeemed: "1" });
    await service.untilMirrored();
    const { facilitator } = market.builder.payments;
    const { transaction } = await facilitator.getSettlement(settlement.agentRequestId ?? "");
    expect(transaction).toMatch(/^0x[0-9a-f]{64}$/);
    // The answer has it already, unless the machine was too slow to send it in time.
    expect(["", transaction]).toContain(settlement.transaction);
    const receipt = await service.onChain.operator.client.getTransactionReceipt({
      hash: transaction as Hex,
    });
    expect(receipt.status).toBe("success");
    await expectSame(service, market);
  });

  test("with proof required, settle answers when the burn is in a block", async () => {
    const proven = await marketOf(receiver, {
      credits: { ...getFixedCreditsConfig(100n, 2n), proofRequired: true },
    });
    const settlement = await settle(proven);
    expect(settlement).toMatchObject({
      creditsRedeemed: "2",
      extra: { chainStatus: "included" },
    });
    expect(await service.credits(proven.subscriber.address, proven.planId)).toBe(98n);
  });

  test("short funds are refused with what to do, and nothing is granted", async () => {
    const [poor, had] = [await service.party({ isFunded: false }), await service.money(receiver)];
    await expect(poor.payments.plans.orderPlan(market.planId)).rejects.toMatchObject({
      code: "payment_refused",
      message: expect.stringMatching(
        /holds 0 and the plan costs 1000000\. Send the missing amount/,
      ),
      details: [{ path: "order", message: "insufficient_funds" }],
    });
    expect(await service.money(receiver)).toBe(had);
    const balance = await poor.payments.plans.getPlanBalance(market.planId);
    expect(balance).toMatchObject({ balance: 0n, isSubscriber: false });
  });

  test("a price in a token that is none is refused, and so is an order where an earlier release took it", async () => {
    const token = `0x${"12".repeat(20)}`;
    const priceConfig = getCryptoPriceConfig(PRICE, receiver, token);
    const refused = { code: "invalid_input", details: [{ path: "priceConfig.tokenAddress" }] };
    await expect(marketOf(receiver, { price: priceConfig, order: false })).rejects.toMatchObject(
      refused,
    );
    const { builder, subscriber, planId } = await marketOf(receiver, { order: false });
    await expect(builder.payments.plans.updatePlan(planId, { priceConfig })).rejects.toMatchObject(
      refused,
    );
    await database.query(
      `update plan_versions set price = jsonb_set(price, '{tokenAddress}', to_jsonb($2::text)) where plan_id = $1`,
      [planId, token],
    );
    await expect(subscriber.payments.plans.orderPlan(planId)).rejects.toMatchObject({
      details: [{ message: "wrong_token" }],
    });
  });

  test("a person who holds their own key is told that they have to sign", async () => {
    const { subscriber, planId } = await marketOf(receiver, { order: false });
    await database.query("update accounts set owner_key = null where address = $1", [
      subscriber.address,
    ]);
    await expect(subscriber.payments.plans.orderPlan(planId)).rejects.toMatchObject({
      details: [{ message: "owner_signature" }],
    });
  });

  test("a settle that finds too little orders the plan under the token's delegation", async () => {
    const empty = await marketOf(receiver, { order: false });
    const settlement = await settle(empty);
    expect(settlement).toMatchObject({ success: true, remainingBalance: "99" });
    const receipt = await service.onChain.operator.client.getTransactionReceipt({
      hash: settlement.orderTx as Hex,
    });
    expect(receipt.status).toBe("success");
    await service.untilMirrored();
    await expectSame(service, empty);
  });

  test("a new version is sold at its own price, and its credits are the plan's", async () => {
    const { builder, subscriber, planId } = market;
    await builder.payments.plans.updatePlan(planId, {
      priceConfig: getCryptoPriceConfig(3n * PRICE, receiver, service.usdc),
      creditsConfig: getFixedCreditsConfig(50n, 5n),
    });
    const had = await service.money(receiver);
    expect(await settle(market)).toMatchObject({ creditsRedeemed: "1" });
    await service.untilMirrored();
    await subscriber.payments.plans.orderPlan(planId);
    expect((await service.money(receiver)) - had).toBe(3n * PRICE);
    expect(await settle(market)).toMatchObject({ creditsRedeemed: "5" });
    await service.untilMirrored();
    await expectSame(service, market);
  });

  test("where the plan's owner redeems, the owner's own grant burns what others hold", async () => {
    const owned = await marketOf(receiver, {
      credits: {
        ...getFixedCreditsConfig(100n, 1n),
        redemptionType: PlanRedemptionType.ONLY_OWNER,
      },
    });
    await settle(owned);
    await service.untilMirrored();
    await expectSame(service, owned);
    expect(await service.credits(owned.subscriber.address, owned.planId)).toBe(99n);
  });

  test("credits that were given away stay in the ledger alone", async () => {
    const free = await marketOf(receiver, { price: getFreePriceConfig() });
    expect(await settle(free)).toMatchObject({ transaction: "", extra: { chainStatus: "none" } });
  });

  test("a revoked delegation is revoked on chain, after what it accepted is burned", async () => {
    const over = await marketOf(receiver);
    await settle(over);
    const [delegation] = (await over.subscriber.payments.delegation.listDelegations()).delegations;
    await over.subscriber.payments.delegation.revokeDelegation(delegation?.delegationId ?? "");
    const isRevoked = await pollUntil(
      async () => {
        const rows = await database.query<{ revoked: boolean }>(
          "select revoked_at is not null as revoked from chain_grants where delegation_id = $1",
          [delegation?.delegationId],
        );
        return (rows.length > 0 && rows.every(({ revoked }) => revoked)) || undefined;
      },
      { timeoutMs: 10_000 },
    );
    expect(isRevoked).toBe(true);
    await expectSame(service, over);
  });

  test("every receipt of a grouped burst proves itself against its burn", async () => {
    const many = await marketOf(receiver, { credits: getFixedCreditsConfig(1000n, 1n) });
    const settlements = await Promise.all(Array.from({ length: 120 }, () => settle(many)));
    await service.untilMirrored();
    await expectSame(service, many);
    for (const { extra, creditsRedeemed } of settlements) {
      const { settlementId } = extra;
      const proof = await findProof(database, settlementId);
      expect(
        proof && verifyReceipt({ settlementId, amount: BigInt(creditsRedeemed), ...proof }),
      ).toBe(true);
      expect(proof && verifyReceipt({ settlementId, amount: 2n, ...proof })).toBe(false);
    }
    const [bundles] = await database.query<{ n: number }>(
      "select count(distinct bundle_id) as n from chain_burns c join settlements s using (settlement_id) where s.plan_id = $1",
      [many.planId],
    );
    expect(Number(bundles?.n)).toBeLessThan(40);
  });

  test("T49: while the chain is away settles go on, and land when it is back", async () => {
    const before = await marketOf(receiver, { credits: getFixedCreditsConfig(1000n, 1n) });
    await settle(before);
    process.kill(service.chain.pid(), "SIGSTOP");
    const settlements = await Promise.all(Array.from({ length: 50 }, () => settle(before)));
    process.kill(service.chain.pid(), "SIGCONT");
    expect(settlements).toHaveLength(50);
    await service.untilMirrored();
    await expectSame(service, before);
  });

  longTest("kill -9 of the chain and a restart in the middle of a burst lose nothing", async () => {
    const burst = await marketOf(receiver, { credits: getFixedCreditsConfig(1000n, 1n) });
    const settling = Array.from({ length: 300 }, () => settle(burst));
    await settling[0];
    process.kill(service.chain.pid(), "SIGKILL");
    await Promise.all(settling);
    await service.restart();
    await service.untilMirrored();
    await expectSame(service, burst);
    expect(await failedSettlements(database)).toEqual([]);
  });

  // The embedded database has one process at a time.
  if (name === "Postgres") {
    test("two replicas mirror each settlement once", async () => {
      const shared = await marketOf(receiver, { credits: getFixedCreditsConfig(1000n, 1n) });
      const replica = service.addReplica();
      const payments = Payments.getInstance({
        apiKey: shared.builder.apiKey,
        environment: "sandbox",
        baseUrl: TEST_ORIGIN,
        fetch: replica.fetch,
      });
      const there = { ...shared, builder: { ...shared.builder, payments } };
      const other = await replica.party();
      await service.onChain.fundAccount(other.address);
      const [settlements] = await Promise.all([
        Promise.all(Array.from({ length: 120 }, (_, index) => settle(index % 2 ? shared : there))),
        other.payments.plans.orderPlan(shared.planId),
        shared.subscriber.payments.plans.orderPlan(shared.planId),
      ]);
      expect(settlements).toHaveLength(120);
      await service.untilMirrored();
      await expectSame(service, shared);
      await expectSame(service, { ...shared, subscriber: other });
      expect(await failedSettlements(database)).toEqual([]);
    });
  }

  test("T47: an order whose answer is lost is paid once and granted later", async () => {
    const late = await marketOf(receiver, { order: false });
    const rail = service.ports.rails.get("svc:erc4337");
    const { charge } = rail;
    rail.charge = async (...order) => {
      await charge(...order);
      throw new Error("The response was lost.");
    };
    const had = await service.money(receiver);
    const order = await late.subscriber.payments.plans.orderPlan(late.planId);
    rail.charge = charge;
    expect(order).toMatchObject({ success: false, status: "charging" });
    expect((await service.money(receiver)) - had).toBe(PRICE);
    await service.ports.clock.advance(60);
    await resolveOrders(service.ports);
    const resolved = await late.subscriber.payments.plans.getOrder(order.orderId);
    expect(resolved).toMatchObject({ success: true, txHash: expect.stringMatching(/^0x/) });
    expect((await service.money(receiver)) - had).toBe(PRICE);
    await expectSame(service, late);
  });

  longTest("an order made while the chain is down is paid when it is back", async () => {
    const down = await marketOf(receiver, { order: false });
    process.kill(service.chain.pid(), "SIGKILL");
    const order = await down.subscriber.payments.plans.orderPlan(down.planId);
    expect(order).toMatchObject({ success: false, status: "charging" });
    await pollUntil(
      async () => (await service.onChain.rail.isHealthy().catch(() => false)) || undefined,
      {
        timeoutMs: 10_000,
      },
    );
    await service.ports.clock.advance(60);
    await resolveOrders(service.ports);
    const resolved = await down.subscriber.payments.plans.getOrder(order.orderId);
    expect(resolved).toMatchObject({ success: true, status: "minted" });
    await expectSame(service, down);
  });

  test("T49: a burn the chain refuses for good is made up for", async () => {
    const gone = await marketOf(receiver);
    await settle(gone);
    await service.untilMirrored();
    // The grant is revoked on chain behind the ledger's back, as its owner can with their own key.
    const [delegation] = (await gone.subscriber.payments.delegation.listDelegations()).delegations;
    const delegationId = delegation?.delegationId ?? "";
    const { operator, grants } = service.onChain;
    const revoked = await revokeDelegationOnChain({
      operator,
      grants,
      store: createChainGrants(database.orm),
      delegationId,
      account: gone.subscriber.address,
    });
    expect(revoked).toBeNull();
    await settle(gone);
    await service.untilMirrored();
    expect(await failedSettlements(database)).toHaveLength(1);
    expect(await service.onChain.reconciler.run()).toMatchObject({ difference: 0n });
    expect(await service.credits(gone.subscriber.address, gone.planId)).toBe(98n);
  });

  test("R8: in the end ledger and chain differ in nothing", async () => {
    const { checked, difference, differences } = await service.onChain.reconciler.run();
    expect({ difference, differences }).toEqual({ difference: 0n, differences: [] });
    expect(checked).toBeGreaterThan(5);
  });

  test("a ledger that claims more than the chain holds is found out", async () => {
    const { subscriber, planId } = market;
    const claim = (more: number) =>
      database.query(
        "update balances set available = available + $3 where account = $1 and plan_id = $2",
        [subscriber.address, planId, more],
      );
    await claim(7);
    const { difference, differences } = await service.onChain.reconciler.run();
    await claim(-7);
    expect(difference).toBe(7n);
    expect(differences).toMatchObject([{ account: subscriber.address, planId: BigInt(planId) }]);
  });
});

type Settled = Extract<Settlement, { success: true }>;

async function settle(market: TestMarket, agentRequestId?: string): Promise<Settled> {
  const { builder, token } = market;
  const settlement = await builder.payments.facilitator.settlePermissions({
    paymentRequired: buildPaymentRequired({
      planId: market.planId,
      endpoint: market.endpoint,
      agentId: market.agentId,
      httpVerb: "POST",
    }),
    x402AccessToken: token,
    ...(agentRequestId && { agentRequestId }),
  });
  if (!settlement.success) throw new Error(`The settlement was refused: ${settlement.errorReason}`);
  return settlement;
}

/** Ledger and chain say the same about the subscriber's credits. */
async function expectSame(service: ChainTestService, market: TestMarket): Promise<void> {
  const { subscriber, planId } = market;
  const { balance } = await subscriber.payments.plans.getPlanBalance(planId);
  // A connection of before the chain's restart fails once.
  await expect.poll(() => service.credits(subscriber.address, planId)).toBe(balance);
}

const failedSettlements = (database: Database) =>
  database.query("select settlement_id from settlements where chain_status = 'failed'", []);
