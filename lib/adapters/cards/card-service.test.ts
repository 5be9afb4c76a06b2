import { randomBytes } from "node:crypto";
import {
  buildPaymentRequired,
  decodeAccessToken,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  type Settlement,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { firstCases, inFull } from "@/lib/testing/in-full.ts";
import { type CardFixture, startCardFixture } from "./testing/card-fixture.ts";

const ENDPOINT = "https://agent.example/ask";

type Shop = {
  builder: TestParty;
  subscriber: TestParty;
  planId: string;
  agentId: string;
  card: string;
};

describe.each(ruleStores())("card plans on the service, $name", ({ open }) => {
  let database: Database;
  let fixture: CardFixture;
  let service: TestService;

  beforeAll(async () => {
    [database, fixture] = await Promise.all([open(), startCardFixture()]);
    service = createTestService(database, { rails: [fixture.rail], cards: fixture.cards });
  });
  afterAll(async () => {
    await expectBooksAgree();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
    await fixture.close();
  });

  /** Every paid order has its one payment of its price, and every payment its paid order. */
  async function expectBooksAgree(): Promise<void> {
    const ours = await database.query<{
      order_id: string;
      reference: string;
      status: string;
      cents: string;
    }>(
      "select order_id, reference, status, div(price, 10000)::text as cents from orders where status = 'minted' and reference like 'pi_%' order by order_id",
      [],
    );
    const theirs = fixture.processor.controls
      .payments()
      .filter(({ status }) => status === "succeeded")
      .map(({ id, amount_received, metadata }) => [metadata.order_id, id, String(amount_received)])
      .sort();
    expect(ours.map((row) => [row.order_id, row.reference, row.cents]).sort()).toEqual(theirs);
  }

  async function openShop(
    terms: { cents?: bigint; credits?: bigint; token?: string } = {},
  ): Promise<Shop> {
    const [builder, subscriber] = await Promise.all([service.party(), service.party()]);
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Starter by card" },
      getFiatPriceConfig((terms.cents ?? 500n) * 10_000n, builder.address, "USD"),
      getFixedCreditsConfig(terms.credits ?? 100n, 1n),
    );
    const { agentId } = await builder.payments.agents.registerAgent(
      { name: "Reader" },
      { endpoints: [{ POST: ENDPOINT }], agentDefinitionUrl: "https://agent.example/openapi.json" },
      [planId],
    );
    const saved = await fixture.cards.saveCard(subscriber.address, terms.token ?? "pm_card_visa");
    return { builder, subscriber, planId, agentId, card: saved.paymentMethodId ?? "" };
  }

  const requirementOf = ({ planId, agentId }: Shop) =>
    buildPaymentRequired({
      planId,
      agentId,
      endpoint: ENDPOINT,
      httpVerb: "POST",
      scheme: "svc:card-delegation",
    });

  const mint = (
    { subscriber, planId, agentId, card }: Shop,
    limits: { cents?: bigint; transactions?: number } = {},
  ) =>
    subscriber.payments.x402.getX402AccessToken(planId, agentId, {
      scheme: "svc:card-delegation",
      delegationConfig: {
        providerPaymentMethodId: card,
        spendingLimitCents: limits.cents ?? 1000n,
        durationSecs: 3600,
        currency: "usd",
        maxTransactions: limits.transactions ?? 5,
      },
      redemptionLimit: 10_000,
    });

  const settle = async (shop: Shop, accessToken: string, agentRequestId: string) => {
    const response = await service.call(shop.builder, "POST", "/x402/settle", {
      paymentRequired: requirementOf(shop),
      x402AccessToken: accessToken,
      agentRequestId,
    });
    return { status: response.status, settlement: (await response.json()) as Settlement };
  };

  const newRequestId = () => `card-${randomBytes(10).toString("hex")}`;
  const chargedTo = async (subscriber: TestParty) => {
    const customer = await fixture.customers.ensure(subscriber.address);
    return fixture.processor.controls
      .payments()
      .filter((payment) => payment.customer === customer && payment.status === "succeeded");
  };

  test("a plan is ordered with a named card, with the default card, and once per idempotency key", async () => {
    const shop = await openShop();
    const { payments } = shop.subscriber;
    const first = await payments.plans.orderPlan(shop.planId, {
      providerPaymentMethodId: shop.card,
      idempotencyKey: "order-by-card-1",
    });
    expect(first).toMatchObject({
      success: true,
      status: "minted",
      txHash: expect.stringMatching(/^pi_/),
    });
    const again = await payments.plans.orderPlan(shop.planId, {
      providerPaymentMethodId: shop.card,
      idempotencyKey: "order-by-card-1",
    });
    expect(again.orderId).toBe(first.orderId);
    await payments.plans.orderPlan(shop.planId);
    expect(await payments.plans.getPlanBalance(shop.planId)).toMatchObject({ balance: 200n });
    expect(await chargedTo(shop.subscriber)).toHaveLength(2);
  });

  test("a token with all five options is verified and settled, and a short balance is topped up by card", async () => {
    const shop = await openShop({ credits: 2n });
    expect(await shop.subscriber.payments.delegation.listPaymentMethods()).toMatchObject([
      { id: shop.card, brand: "visa", last4: "4242", expMonth: 12, expYear: 2040, isDefault: true },
    ]);
    const { accessToken, delegationId } = await mint(shop);
    expect(decodeAccessToken(accessToken)).toMatchObject({
      accepted: { scheme: "svc:card-delegation", network: "card-processor", planId: shop.planId },
    });
    expect(accessToken).not.toContain(Buffer.from(shop.card).toString("base64").slice(0, 12));
    expect(
      await shop.builder.payments.facilitator.verifyPermissions({
        paymentRequired: requirementOf(shop),
        x402AccessToken: accessToken,
      }),
    ).toMatchObject({ isValid: true, payer: shop.subscriber.address });

    const { settlement: first } = await settle(shop, accessToken, newRequestId());
    const [payment] = await chargedTo(shop.subscriber);
    expect(first).toMatchObject({
      success: true,
      orderTx: payment?.id,
      creditsRedeemed: "1",
      remainingBalance: "1",
      network: "card-processor",
    });
    const { settlement: second } = await settle(shop, accessToken, newRequestId());
    expect(second).toMatchObject({ success: true, remainingBalance: "0" });
    expect(second).not.toHaveProperty("orderTx");
    const { settlement: third } = await settle(shop, accessToken, newRequestId());
    expect(third).toMatchObject({ success: true, orderTx: expect.stringMatching(/^pi_/) });
    // 10.00 are spent: the limit of the delegation.
    await settle(shop, accessToken, newRequestId());
    const { settlement: last } = await settle(shop, accessToken, newRequestId());
    expect(last).toMatchObject({ success: false, errorReason: "insufficient_balance" });
    expect(await shop.subscriber.payments.delegation.getDelegation(delegationId)).toMatchObject({
      provider: "card-processor",
      status: "Exhausted",
      amountSpentCents: 1000n,
      amountReservedCents: 0n,
      transactionCount: 2,
    });
  });

  test.each(
    firstCases(1, [
      [{ cents: 700n, transactions: 50 }, 7],
      [{ cents: 10_000n, transactions: 5 }, 5],
    ]),
  )(
    "T11: a crowd of top-ups at once under %o is exactly %i charges",
    async (limits, expected) => {
      const shop = await openShop({ cents: 100n, credits: 1n });
      const { accessToken, delegationId } = await mint(shop, limits);
      const answers = await Promise.all(
        Array.from({ length: inFull(100, 30) }, () => settle(shop, accessToken, newRequestId())),
      );
      const inCrowd = await chargedTo(shop.subscriber);
      expect(inCrowd.length).toBeGreaterThan(0);
      expect(inCrowd.length).toBeLessThanOrEqual(expected);
      // A request refused under contention may retry: only the limit ends it.
      let settled = answers.filter(({ settlement }) => settlement.success).length;
      while ((await settle(shop, accessToken, newRequestId())).settlement.success) settled += 1;
      const charges = await chargedTo(shop.subscriber);
      const sum = charges.reduce((total, { amount }) => total + BigInt(amount), 0n);
      expect([charges.length, sum]).toEqual([expected, BigInt(expected) * 100n]);
      const { balance } = await shop.subscriber.payments.plans.getPlanBalance(shop.planId);
      // Every credit that was charged for is burned or still there.
      expect(BigInt(settled) + balance).toBe(BigInt(expected));
      const { delegation } = shop.subscriber.payments;
      expect(await delegation.getDelegation(delegationId)).toMatchObject({
        amountSpentCents: sum,
        amountReservedCents: 0n,
        transactionCount: expected,
      });
      await expectBooksAgree();
    },
    120_000,
  );

  test("T43: a decline and a needed confirmation answer their own code and next step, and grant nothing", async () => {
    const shop = await openShop();
    const order = () =>
      service.call(shop.subscriber, "POST", `/protocol/plans/${shop.planId}/order`, {});
    fixture.processor.controls.declineCard(shop.card, "InsufficientFunds");
    const declined = await order();
    expect([declined.status, await declined.json()]).toEqual([
      402,
      expect.objectContaining({
        code: "payment_refused",
        message: "The card has insufficient funds. Add funds to it, or use another card.",
        details: [{ path: "order", message: "insufficient_funds" }],
      }),
    ]);
    const setup = await fixture.cards.saveCard(
      shop.subscriber.address,
      "pm_card_authenticationRequired",
    );
    fixture.processor.controls.authenticate(setup.setupIntentId);
    const { paymentMethodId } = await fixture.cards.finishCard(
      shop.subscriber.address,
      setup.setupIntentId,
    );
    const waiting = await service.call(
      shop.subscriber,
      "POST",
      `/protocol/plans/${shop.planId}/order`,
      {
        providerPaymentMethodId: paymentMethodId,
      },
    );
    expect(await waiting.json()).toMatchObject({ success: false, status: "requires_action" });
    const balance = await shop.subscriber.payments.plans.getPlanBalance(shop.planId);
    expect(balance.balance).toBe(0n);
  });

  test("a lost reply leaves the order open; the next check grants the credits for the one payment", async () => {
    const shop = await openShop();
    fixture.processor.faults.add({ kind: "lose-reply", path: "/v1/payment_intents", times: 2 });
    const open = await shop.subscriber.payments.plans.orderPlan(shop.planId);
    expect(open).toMatchObject({ success: false, status: "charging" });
    // The database's clock moves on; the processor's does not.
    await service.ports.clock.advance(60);
    const { rail, cards } = fixture.replica();
    const other = createTestService(database, { rails: [rail], cards });
    expect(await resolveOrders(other.ports)).toBeGreaterThanOrEqual(1);
    expect(await shop.subscriber.payments.plans.getOrder(open.orderId)).toMatchObject({
      status: "minted",
      txHash: expect.stringMatching(/^pi_/),
    });
    expect(await shop.subscriber.payments.plans.getPlanBalance(shop.planId)).toMatchObject({
      balance: 100n,
    });
    expect(await chargedTo(shop.subscriber)).toHaveLength(1);
  });
});
