import {
  getDynamicCreditsConfig,
  type MoneyStatus,
  PlanRedemptionType,
  setRedemptionType,
} from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import {
  type CardShop,
  mintToken,
  openCardShop,
  settleCard,
} from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import { createMarket, type TestParty } from "@/lib/server/testing/test-service.ts";
import { createRefund, requestRefund } from "./refunds.ts";

/** Ten credits that expire after a minute. */
const SHORT = { ...getDynamicCreditsConfig(10n, 1n, 10n), durationSecs: 60n };

describe.each(ruleStores())("refunds of settled calls, $name", ({ open }) => {
  const at = useCardService(open);
  const { balanceOf, owedTo } = at;
  let calls = 0;

  /** Ten credits for 5.00 that were bought, of which a call used one. */
  async function called(
    config = getDynamicCreditsConfig(10n, 1n, 10n),
  ): Promise<CardShop & { agentRequestId: string; redeemer: TestParty }> {
    const credits = setRedemptionType(config, PlanRedemptionType.ONLY_PLAN_ROLE);
    const shop = await openCardShop(at.service, { credits });
    const redeemer = await at.service.party();
    const change = { redeemers: [redeemer.address, shop.builder.address] };
    await at.service.call(shop.builder, "PUT", `/protocol/plans/${shop.planId}`, change);
    await shop.subscriber.payments.plans.orderPlan(shop.planId);
    return { ...shop, redeemer, agentRequestId: await settle(shop, redeemer) };
  }
  async function settle(shop: CardShop, by: TestParty): Promise<string> {
    const { accessToken } = await mintToken(shop);
    calls += 1;
    const agentRequestId = `call-to-refund-${calls}`.padEnd(24, "x");
    const settled = await settleCard(
      at.service,
      { ...shop, builder: by },
      accessToken,
      agentRequestId,
    );
    expect(settled).toMatchObject({ success: true });
    return agentRequestId;
  }
  type Attempt = { httpStatus: number; moneyStatus: MoneyStatus; reason?: string };
  const FAILED: Attempt = { httpStatus: 500, moneyStatus: "settled" };
  /** The plan promises refunds of failed calls, and gates report these attempts of one, batch by batch. */
  async function promiseRefund(
    { builder, planId }: CardShop,
    agentRequestId: string,
    ...batches: Attempt[][]
  ) {
    const call = { agentRequestId, planId, at: new Date().toISOString() };
    await builder.payments.plans.updatePlan(planId, {
      metadataAttributes: { name: "By card", refundFailedCalls: true },
    });
    for (const attempts of batches) {
      await builder.payments.requests.reportRequests({
        requests: attempts.map((attempt) => ({ ...call, method: "POST", path: "/a", ...attempt })),
      });
    }
  }
  const ask = ({ subscriber }: CardShop, agentRequestId: string, amount?: bigint) =>
    subscriber.payments.money.requestRefund({
      agentRequestId,
      reason: "It didn’t work",
      ...(amount !== undefined && { amount }),
    });

  test("money is refunded by the plan's owner, never by the account that redeemed the call", async () => {
    const shop = await called();
    const { agentRequestId, redeemer, builder } = shop;
    const { refundId } = await ask(shop, agentRequestId, 500_000n);
    const { money } = redeemer.payments;
    expect((await money.listRefunds({ status: "requested" })).items).toEqual([]);
    for (const decide of [
      () => money.acceptRefundRequest({ refundId, amount: 5_000_000n }),
      () => money.declineRefundRequest({ refundId }),
      () => money.getRefundPayment({ refundId }),
      () => money.getRefund(refundId),
      () => money.createRefund({ agentRequestId, amount: 500_000n }),
    ]) {
      await expect(decide()).rejects.toMatchObject({ code: "not_found" });
    }
    expect(await owedTo(shop)).toBe(5_000_000n);
    const { items } = await builder.payments.money.listRefunds({ status: "requested" });
    expect(items).toMatchObject([{ refundId, agentRequestId }]);
    expect(await builder.payments.money.acceptRefundRequest({ refundId })).toMatchObject({
      status: "paid",
      amount: "500000",
    });
    expect(await owedTo(shop)).toBe(4_500_000n);
  });

  test("the plan's owner refunds a call that a redeemer settled, in money and in credits", async () => {
    const shop = await called();
    const { agentRequestId, builder } = shop;
    const { createRefund } = builder.payments.money;
    expect(await createRefund({ agentRequestId, amount: 500_000n })).toMatchObject({
      status: "paid",
      amount: "500000",
    });
    const another = await settle(shop, shop.redeemer);
    expect(await createRefund({ agentRequestId: another })).toMatchObject({ credits: "1" });
  });

  test("a redeemer gives the credits of a call back that it settled, and the owner sees it", async () => {
    const shop = await called();
    const { agentRequestId, redeemer, builder } = shop;
    const { money } = redeemer.payments;
    const { refundId } = await money.createRefund({ agentRequestId });
    expect(await balanceOf(shop)).toMatchObject({ balance: 10n });
    expect(await money.getRefund(refundId)).toMatchObject({ status: "paid", credits: "1" });
    const { items } = await builder.payments.money.listRefunds({ agentRequestId });
    expect(items).toMatchObject([{ refundId, credits: "1" }]);
    // The page of the call shows it to the redeemer as well.
    expect((await money.listRefunds({ agentRequestId })).items).toMatchObject([{ refundId }]);
    const byOwner = await settle(shop, builder);
    await expect(money.createRefund({ agentRequestId: byOwner })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("a request ends when its call is refunded otherwise, by the builder or a rule", async () => {
    const shop = await called();
    const { money } = shop.builder.payments;
    const { refundId } = await ask(shop, shop.agentRequestId);
    const paid = await money.createRefund({ agentRequestId: shop.agentRequestId });
    await expect(money.acceptRefundRequest({ refundId })).rejects.toMatchObject({
      message: `This was refunded as ${paid.refundId}.`,
    });
    const second = await settle(shop, shop.builder);
    const asked = await ask(shop, second);
    await promiseRefund(shop, second, [FAILED]);
    expect(await ask(shop, second)).toMatchObject({ status: "paid", madeBy: "rule" });
    expect(await money.getRefund(asked.refundId)).toMatchObject({ failure: { code: "refunded" } });
    expect(await balanceOf(shop)).toMatchObject({ balance: 10n });
  });

  test("credits are not returned to a balance that has expired; money is", async () => {
    const { agentRequestId, builder, ...shop } = await called(SHORT);
    await at.service.ports.clock.advance(61);
    const { createRefund } = builder.payments.money;
    await expect(createRefund({ agentRequestId })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/expired.*amount of money/),
    });
    expect(await createRefund({ agentRequestId, amount: 500_000n })).toMatchObject({
      status: "paid",
    });
    expect(await balanceOf({ ...shop, builder })).toMatchObject({ balance: 0n });
  });

  test("a request for a call whose credits have expired asks for what it cost", async () => {
    const shop = await called(SHORT);
    const { builder, subscriber } = shop;
    const agentRequestId = await settle(shop, builder);
    await at.service.ports.clock.advance(61);
    const asked = await ask(shop, agentRequestId);
    expect(asked).toMatchObject({ status: "requested", amount: "500000", currency: "usd" });
    const { refundId } = asked;
    const { items } = await builder.payments.money.listRefunds({ status: "requested" });
    expect(items).toMatchObject([{ refundId, agentRequestId, orderId: expect.any(String) }]);
    expect(await builder.payments.money.acceptRefundRequest({ refundId })).toMatchObject({
      status: "paid",
      amount: "500000",
    });
    expect(await subscriber.payments.money.getRefund(refundId)).toMatchObject({ credits: "0" });
    expect(await owedTo(shop)).toBe(4_500_000n);
  });

  test("a rule grants what a failed call cost once its credits have expired", async () => {
    const shop = await called(SHORT);
    const agentRequestId = await settle(shop, shop.builder);
    await promiseRefund(shop, agentRequestId, [FAILED]);
    await at.service.ports.clock.advance(61);
    expect(await ask(shop, agentRequestId)).toMatchObject({
      status: "paid",
      madeBy: "rule",
      amount: "500000",
      credits: "0",
    });
    expect(await owedTo(shop)).toBe(4_500_000n);
    await expect(ask(shop, agentRequestId)).rejects.toMatchObject({
      message: "This call was already refunded.",
    });
  });

  const DELIVERED: Attempt = { httpStatus: 200, moneyStatus: "settled" };
  const UNREACHABLE: Attempt = {
    httpStatus: 503,
    moneyStatus: "not-charged",
    reason: "unavailable",
  };
  const UNCHARGED: Attempt = { httpStatus: 500, moneyStatus: "not-charged", reason: "status_500" };
  const REPEATED: Attempt = { httpStatus: 409, moneyStatus: "refused", reason: "conflict" };

  test.each([
    ["its repeat could not be verified", [[DELIVERED], [UNREACHABLE]]],
    ["an earlier attempt failed and was not charged", [[UNCHARGED], [DELIVERED]]],
    ["the report of an earlier attempt arrives last", [[DELIVERED], [UNCHARGED]]],
    ["both attempts are in one report", [[DELIVERED, UNREACHABLE]]],
    ["only an attempt that was not charged is reported", [[UNCHARGED]]],
  ])(
    "a delivered call is not refunded by the rule for failed calls because %s",
    async (_, batches) => {
      const shop = await called();
      const agentRequestId = await settle(shop, shop.builder);
      await promiseRefund(shop, agentRequestId, ...batches);
      expect(await ask(shop, agentRequestId)).toMatchObject({ status: "requested" });
    },
  );

  test.each([
    ["", [[FAILED], [REPEATED]]],
    [" in the same report", [[FAILED, REPEATED]]],
  ])(
    "a charged call that failed is refunded by the rule although its repeat was refused%s",
    async (_, batches) => {
      const shop = await called();
      const agentRequestId = await settle(shop, shop.builder);
      await promiseRefund(shop, agentRequestId, ...batches);
      expect(await ask(shop, agentRequestId)).toMatchObject({ status: "paid", madeBy: "rule" });
    },
  );

  test("a request for a call that cost less than a cent names the refund of its order", async () => {
    const config = { ...getDynamicCreditsConfig(1000n, 1n, 10n), durationSecs: 60n };
    const { agentRequestId, ...shop } = await called(config);
    await at.service.ports.clock.advance(61);
    await expect(ask(shop, agentRequestId)).rejects.toMatchObject({
      code: "conflict",
      message: "This call cost less than can be sent. Request a refund of its order.",
    });
  });

  /** Their context where credits are burned on chain. */
  function onChain({ context }: TestParty) {
    const { ports } = at.service;
    const find = (scheme: string) => {
      const rail = ports.rails.find(scheme);
      return rail && { ...rail, mirror: async () => null };
    };
    return { ...context, ports: { ...ports, rails: { ...ports.rails, find } } };
  }

  test("a call of a free plan on chain has nothing to refund, and its order is not named instead", async () => {
    const market = await createMarket(at.service);
    const { builder, subscriber, planId } = market;
    const agentRequestId = "call-of-a-free-plan-0001";
    await createPermissionCalls(at.service, market).settle({ agentRequestId });
    const message = "Nothing was paid for this call, and credits of this plan can't be returned.";
    const refusal = { details: [{ path: "agentRequestId", message }] };
    await expect(createRefund(onChain(builder), { agentRequestId })).rejects.toMatchObject(refusal);
    const reason = "It didn’t work";
    await expect(
      requestRefund(onChain(subscriber), { agentRequestId, reason }),
    ).rejects.toMatchObject(refusal);
    // Its order would have been refused, too.
    const { items } = await subscriber.payments.holdings.listOrders({ planId });
    await expect(
      createRefund(onChain(builder), { orderId: items[0]?.orderId }),
    ).rejects.toMatchObject({ code: "conflict", message: "Nothing was paid for this order." });
  });

  test("a request for a call whose credits were burned on chain and have expired asks for what it cost", async () => {
    const { agentRequestId, subscriber } = await called(SHORT);
    const { ports } = at.service;
    const context = onChain(subscriber);
    const request = () => requestRefund(context, { agentRequestId, reason: "It didn’t work" });
    await expect(request()).rejects.toMatchObject({
      details: [
        {
          path: "amount",
          message: "Credits of this plan can't be returned. Send an amount of money.",
        },
      ],
    });
    await ports.clock.advance(61);
    expect(await request()).toMatchObject({ status: "requested", amount: "500000" });
  });

  test("money for a call whose credits were burned on chain ends the request for that call", async () => {
    const { agentRequestId, builder, subscriber } = await called();
    const amount = 500_000n;
    const reason = "It didn’t work";
    const { refundId } = await requestRefund(onChain(subscriber), {
      ...{ agentRequestId, amount, reason },
    });
    await expect(createRefund(onChain(builder), { agentRequestId })).rejects.toMatchObject({
      details: [{ path: "amount", message: expect.stringContaining("Send an amount of money") }],
    });
    await createRefund(onChain(builder), { agentRequestId, amount });
    expect(await builder.payments.money.getRefund(refundId)).toMatchObject({
      status: "declined",
      failure: { code: "refunded" },
    });
  });

  test("a request for credits that expire before its answer is declined and made again for money", async () => {
    const { agentRequestId, ...shop } = await called(SHORT);
    const { money } = shop.builder.payments;
    const { refundId } = await ask(shop, agentRequestId);
    await at.service.ports.clock.advance(61);
    await expect(money.acceptRefundRequest({ refundId })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/expired.*Decline this request/),
    });
    await money.declineRefundRequest({ refundId });
    expect(await ask(shop, agentRequestId)).toMatchObject({ amount: "500000" });
  });

  test("a call whose credits have expired and whose order was refunded is not asked for again", async () => {
    const { agentRequestId, ...shop } = await called(SHORT);
    await at.service.ports.clock.advance(61);
    const { items } = await shop.subscriber.payments.holdings.listOrders({ planId: shop.planId });
    await shop.builder.payments.money.createRefund({ orderId: items[0]?.orderId });
    await expect(ask(shop, agentRequestId)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("Your credits of this plan have expired"),
    });
    const { money } = shop.builder.payments;
    expect((await money.listRefunds({ status: "requested" })).items).toEqual([]);
  });

  test("credits are not returned to a balance that cannot hold them; money is", async () => {
    const shop = await called(getDynamicCreditsConfig(2n ** 255n, 1n, 10n));
    await shop.subscriber.payments.plans.orderPlan(shop.planId);
    const { createRefund } = shop.builder.payments.money;
    await expect(createRefund({ agentRequestId: shop.agentRequestId })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/cannot hold.*amount of money/),
    });
  });

  test("a request that an earlier release wrote for the redeemer is the plan owner's to decide", async () => {
    const shop = await called();
    const { refundId } = await ask(shop, shop.agentRequestId, 500_000n);
    const { redeemer, builder } = shop;
    await at.database.query("update refunds set owner = $1 where refund_id = $2", [
      redeemer.address,
      refundId,
    ]);
    await expect(redeemer.payments.money.acceptRefundRequest({ refundId })).rejects.toMatchObject({
      code: "not_found",
    });
    const listed = async () => (await builder.payments.money.listRefunds({})).items;
    expect(await listed()).toMatchObject([{ refundId, status: "requested" }]);
    await builder.payments.money.acceptRefundRequest({ refundId });
    expect(await listed()).toMatchObject([{ refundId, status: "paid" }]);
  });

  test("accepting a request for a call pays at most what the call cost", async () => {
    const shop = await called();
    const { refundId } = await ask(shop, await settle(shop, shop.builder), 400_000n);
    const { money } = shop.builder.payments;
    const details = [{ path: "amount", message: "The call cost at most 500000." }];
    await expect(money.acceptRefundRequest({ refundId, amount: 5_000_000n })).rejects.toMatchObject(
      { code: "invalid_input", details },
    );
    await expect(money.getRefundPayment({ refundId, amount: 510_000n })).rejects.toMatchObject({
      code: "invalid_input",
      details,
    });
    expect(await owedTo(shop)).toBe(5_000_000n);
    expect(await money.acceptRefundRequest({ refundId, amount: 500_000n })).toMatchObject({
      status: "paid",
      amount: "500000",
    });
    expect(await balanceOf(shop)).toMatchObject({ balance: 8n });
  });
});
