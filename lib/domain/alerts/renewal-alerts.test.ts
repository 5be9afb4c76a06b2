import {
  getErc20PriceConfig,
  getExpirableDurationConfig,
  getFiatPriceConfig,
} from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { type CardShop, openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { setRenewal } from "../money/renewals.ts";
import { resolveRenewals } from "../money/resolve-renewals.ts";
import { BUILT_IN_RULES } from "./built-in-rules.ts";

const DAY = 86_400;
const MONTH = 30 * DAY;

describe.each(ruleStores())("alerts of renewals, on $name", ({ open }) => {
  const at = useCardService(open);

  /** A month for 5.00 that was bought, and renews within a delegation. */
  async function subscribed(limits: { cents?: bigint; days?: number } = {}) {
    const credits = getExpirableDurationConfig(BigInt(MONTH));
    const shop = await openCardShop(at.service, { credits, isTimePlan: true });
    const { planId, card, subscriber } = shop;
    await subscriber.payments.plans.orderPlan(planId, { providerPaymentMethodId: card });
    return { ...shop, delegationId: await renewWithin(shop, limits) };
  }
  async function renewWithin(
    { planId, card, subscriber }: CardShop,
    { cents = 1_200n, days = 365 }: { cents?: bigint; days?: number } = {},
  ) {
    const { delegationId } = await subscriber.payments.delegation.createDelegation({
      provider: "card-processor",
      providerPaymentMethodId: card,
      spendingLimitCents: cents,
      durationSecs: days * DAY,
      currency: "usd",
      planIds: [planId],
    });
    await subscriber.payments.money.setRenewal({ planId, isOn: true, delegationId });
    return delegationId;
  }
  const look = async ({ subscriber: { address, payments } }: CardShop, rules = BUILT_IN_RULES) => {
    await at.database.query("select wake_alerts($1)", [address]);
    await at.service.ports.alerts.run(100, rules);
    const { items } = await payments.alerts.listAlerts({ limit: 100 });
    return items.filter(({ kind }) => kind === "renewal-failing").toReversed();
  };
  const statesOf = async (...given: Parameters<typeof look>) =>
    (await look(...given)).map(({ status }) => status);
  const pass = async (secs: number) => {
    await at.service.ports.clock.advance(secs);
    while ((await at.service.ports.ledger.sweep()) > 0);
    await resolveRenewals(at.service.ports);
  };

  test("a revoked delegation opens one, and another delegation or no renewal closes it", async () => {
    const shop = await subscribed();
    expect(await statesOf(shop)).toEqual([]);
    const { delegation, money } = shop.subscriber.payments;
    await delegation.revokeDelegation(shop.delegationId);
    expect(await look(shop)).toMatchObject([
      {
        status: "open",
        object: shop.planId,
        title: expect.stringMatching(/^The renewal of .+ can’t be paid$/),
        action: { path: `/subscriptions/${shop.planId}` },
      },
    ]);
    const other = await renewWithin(shop);
    expect(await statesOf(shop)).toEqual(["closed"]);
    await delegation.revokeDelegation(other);
    expect(await statesOf(shop)).toEqual(["closed", "open"]);
    await money.setRenewal({ planId: shop.planId, isOn: false });
    expect(await statesOf(shop)).toEqual(["closed", "closed"]);
  });

  test("a delegation that expires too soon, or has too little left, opens one", async () => {
    expect(await statesOf(await subscribed({ days: 7 }))).toEqual(["open"]);
    expect(await statesOf(await subscribed({ cents: 499n }))).toEqual(["open"]);
    expect(await statesOf(await subscribed({ cents: 500n }))).toEqual([]);
  });

  test("an archived plan, a draft, or a budget that is too small, opens one", async () => {
    const shop = await subscribed();
    const { plans } = shop.builder.payments;
    await plans.archivePlan(shop.planId);
    expect(await statesOf(shop)).toEqual(["open"]);
    await plans.restorePlan(shop.planId);
    await plans.updatePlan(shop.planId, { state: "unlisted" });
    expect(await statesOf(shop)).toEqual(["closed"]);
    await plans.updatePlan(shop.planId, { state: "draft" });
    expect(await statesOf(shop)).toEqual(["closed", "open"]);
    await plans.updatePlan(shop.planId, { state: "listed" });
    const limit = (cents: bigint) => ({
      limits: [{ period: "day" as const, unit: "money" as const, limit: cents }],
    });
    expect(await statesOf(shop)).toEqual(["closed", "closed"]);
    await shop.subscriber.payments.budgets.setBudgets(limit(499n));
    expect(await statesOf(shop)).toEqual(["closed", "closed", "open"]);
    await shop.subscriber.payments.budgets.setBudgets(limit(500n));
    expect(await statesOf(shop)).toEqual(["closed", "closed", "closed"]);
  });

  /** The plan has another price now. */
  const reprice = ({ builder, planId }: CardShop, amount: bigint, currency = "USD") =>
    builder.payments.plans.updatePlan(planId, {
      priceConfig: getFiatPriceConfig(amount, builder.address, currency),
    });

  test("a changed price opens one until it is agreed to; a new name opens none", async () => {
    const shop = await subscribed();
    const { planId, delegationId, builder, subscriber } = shop;
    await builder.payments.plans.updatePlan(planId, {
      metadataAttributes: { name: "Another name" },
    });
    expect(await statesOf(shop)).toEqual([]);
    await reprice(shop, 6_000_000n);
    expect(await statesOf(shop)).toEqual(["open"]);
    await subscriber.payments.money.setRenewal({ planId, isOn: true, delegationId });
    expect(await statesOf(shop)).toEqual(["closed"]);
    await reprice(shop, 6_000_000n, "EUR");
    expect(await statesOf(shop)).toEqual(["closed", "open"]);
    await reprice(shop, 6_000_000n);
    expect(await statesOf(shop)).toEqual(["closed", "closed"]);
  });

  test.each([
    ["without a name", undefined],
    ["of its name", "DAI"],
  ])("the same price in another token %s opens one", async (_, currency) => {
    const priceIn = (byte: string) => ({
      ...getErc20PriceConfig(1_000n, `0x${byte.repeat(20)}`, shop.builder.address),
      ...(currency && { currency }),
    });
    const shop = await openCardShop(at.service);
    const { builder, subscriber } = shop;
    const { planId } = await builder.payments.plans.registerTimePlan(
      { name: "Month" },
      priceIn("5a"),
      getExpirableDurationConfig(BigInt(MONTH)),
    );
    const { delegationId } = await subscriber.payments.delegation.createDelegation({
      ...{ provider: "erc4337", spendingLimitCents: 10_000n, orderLimit: 1_000_000n },
      ...{ durationSecs: 365 * DAY, currency: "usdc", planIds: [planId] },
    });
    await subscriber.payments.plans.orderPlan(planId, { delegationId });
    await subscriber.payments.money.setRenewal({ planId, isOn: true, delegationId });
    expect(await statesOf(shop)).toEqual([]);
    await builder.payments.plans.updatePlan(planId, { priceConfig: priceIn("6b") });
    const [renewal] = (await subscriber.payments.money.listRenewals({ planId })).items;
    expect(renewal?.obstacle?.code).toBe("price_changed");
    expect(await statesOf(shop)).toEqual(["open"]);
  });

  test("budgets count at a price that no order had yet", async () => {
    const shop = await subscribed();
    const { planId, delegationId, subscriber } = shop;
    const { money, budgets } = subscriber.payments;
    await reprice(shop, 6_000_000n);
    await money.setRenewal({ planId, isOn: true, delegationId });
    await budgets.setBudgets({ limits: [{ period: "day", unit: "credits", limit: 1_000n }] });
    expect(await statesOf(shop)).toEqual([]);
    await budgets.setBudgets({ limits: [{ period: "day", unit: "money", limit: 599n }] });
    expect(await statesOf(shop)).toEqual(["open"]);
    await budgets.setBudgets({ limits: [{ period: "day", unit: "money", limit: 600n }] });
    expect(await statesOf(shop)).toEqual(["closed"]);
    await renewWithin(shop, { cents: 599n });
    expect(await statesOf(shop)).toEqual(["closed", "open"]);
  });

  test("a rule for approvals opens one, unless a person switched the renewal on", async () => {
    const shop = await subscribed();
    const { planId, delegationId, subscriber } = shop;
    await subscriber.payments.budgets.setBudgets({ approval: { above: 500n } });
    expect(await statesOf(shop)).toEqual([]);
    await subscriber.payments.budgets.setBudgets({ approval: { above: 499n } });
    expect(await statesOf(shop)).toEqual(["open"]);
    await setRenewal(subscriber.context, { planId, isOn: true, delegationId });
    expect(await statesOf(shop)).toEqual(["closed"]);
  });

  test("a failed payment opens one until it is paid", async () => {
    const shop = await subscribed();
    const { controls } = at.fixture.processor;
    controls.declineCard(shop.card, "InsufficientFunds");
    await pass(MONTH - 1_000);
    expect(await statesOf(shop)).toEqual(["open"]);
    controls.declineCard(shop.card, null);
    await pass(3_700);
    expect(await statesOf(shop)).toEqual(["closed"]);
  });

  test("a renewal that stopped opens one until the plan is ordered again; a refund opens none", async () => {
    const [stopped, refunded] = [await subscribed(), await subscribed()];
    await reprice(stopped, 6_000_000n);
    const { items } = await refunded.subscriber.payments.holdings.listOrders({
      planId: refunded.planId,
    });
    const orderId = items[0]?.orderId ?? "";
    await refunded.builder.payments.money.createRefund({ orderId });
    await pass(MONTH - 1_000);
    expect(await statesOf(stopped)).toEqual(["open"]);
    expect(await statesOf(refunded)).toEqual([]);
    const { plans } = stopped.subscriber.payments;
    await plans.orderPlan(stopped.planId, { providerPaymentMethodId: stopped.card });
    expect(await statesOf(stopped)).toEqual(["closed"]);
  });

  test("a release without this kind, beside this one, leaves its alerts open", async () => {
    const shop = await subscribed({ days: 7 });
    const earlier = BUILT_IN_RULES.filter(({ kind }) => kind !== "renewal-failing");
    expect(await statesOf(shop, earlier)).toEqual([]);
    expect(await statesOf(shop)).toEqual(["open"]);
    expect(await statesOf(shop, earlier)).toEqual(["open"]);
  });

  test("a price in a token that has only a name opens none", async () => {
    const { builder, subscriber } = await openCardShop(at.service);
    const { service, database } = at;
    const token = `0x${"5a".repeat(20)}`;
    const price = { ...getErc20PriceConfig(1_000n, token, builder.address), currency: "DAI" };
    const { planId } = await builder.payments.plans.registerTimePlan(
      { name: "Month" },
      price,
      getExpirableDurationConfig(BigInt(MONTH)),
    );
    const { delegationId } = await subscriber.payments.delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 10_000n,
      orderLimit: 1_000_000n,
      durationSecs: 365 * DAY,
      currency: "usdc",
      planIds: [planId],
    });
    await subscriber.payments.plans.orderPlan(planId, { delegationId });
    await subscriber.payments.money.setRenewal({ planId, isOn: true, delegationId });
    await database.query("select wake_alerts($1)", [subscriber.address]);
    await service.ports.alerts.run(100, BUILT_IN_RULES);
    const { items } = await subscriber.payments.alerts.listAlerts({ limit: 100 });
    expect(items.filter(({ kind }) => kind === "renewal-failing")).toEqual([]);
    const [renewal] = (await subscriber.payments.money.listRenewals({ planId })).items;
    expect(renewal).toMatchObject({ state: "on", currency: expect.stringMatching(/^0x/) });
    expect(renewal).not.toHaveProperty("obstacle");
  });
});
