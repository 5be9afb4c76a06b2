import { getExpirableDurationConfig, getFiatPriceConfig } from "@turnpike/payments/protocol";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type CardShop, openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { getDelegationEffects } from "../delegations/delegation-effects.ts";
import { refreshOrder, resolveOrders } from "../orders/resolve-orders.ts";
import { deathsAt, dying } from "../testing/dying.ts";
import { listRenewals, setRenewal } from "./renewals.ts";
import { resolveRenewals } from "./resolve-renewals.ts";

const DAY = 86_400;
const MONTH = 30 * DAY;

describe.each(ruleStores())("renewals of time plans, $name", ({ open }) => {
  const at = useCardService(open);

  // The next test would order what this one leaves on.
  afterEach(async () => {
    await at.database.query("update renewals set state = 'off', due_at = null", []);
  });

  type Renewed = CardShop & { delegationId: string };
  /** A month for 5.00 that was bought, and renews within a delegation of 12.00 over a year. */
  async function subscribed(limit = 1_200n): Promise<Renewed> {
    const credits = getExpirableDurationConfig(BigInt(MONTH));
    const shop = await openCardShop(at.service, { credits, isTimePlan: true });
    const { payments } = shop.subscriber;
    await payments.plans.orderPlan(shop.planId, { providerPaymentMethodId: shop.card });
    const { delegationId } = await payments.delegation.createDelegation({
      provider: "card-processor",
      providerPaymentMethodId: shop.card,
      spendingLimitCents: limit,
      durationSecs: 365 * DAY,
      currency: "usd",
      planIds: [shop.planId],
    });
    await payments.money.setRenewal({ planId: shop.planId, isOn: true, delegationId });
    return { ...shop, delegationId };
  }
  const renewalOf = async ({ subscriber, planId }: CardShop) =>
    (await subscriber.payments.money.listRenewals({ planId })).items[0];
  const ordersOf = async ({ subscriber, planId }: CardShop) =>
    (await subscriber.payments.holdings.listOrders({ planId })).items.map(({ status }) => status);
  /** What the processor charged the subscriber, in cents. */
  const chargesOf = async (shop: CardShop) => {
    const { items } = await shop.subscriber.payments.holdings.listOrders({ planId: shop.planId });
    const of = items.flatMap(({ reference }) => (reference ? [reference] : []));
    const intents = await Promise.all(
      of.map((id) => at.fixture.stripe.paymentIntents.retrieve(id)),
    );
    return intents.filter(({ status }) => status === "succeeded").map(({ amount }) => amount);
  };
  const pass = async (secs: number) => {
    await at.service.ports.clock.advance(secs);
    while ((await at.service.ports.ledger.sweep()) > 0);
    await resolveRenewals(at.service.ports);
    await resolveOrders(at.service.ports);
    await resolveRenewals(at.service.ports);
  };

  /** Has the renewal pay by another card, within a separate delegation. */
  const renewsBy = async (
    { subscriber, planId }: CardShop,
    testCard: string,
    limits = {},
  ): Promise<string> => {
    const { paymentMethods, delegation, money } = subscriber.payments;
    const adding = await paymentMethods.addPaymentMethod({ testCard });
    if (adding.status === "requires_action") {
      at.fixture.processor.controls.authenticate(adding.setupIntentId);
    }
    const { paymentMethodId } = await paymentMethods.finishPaymentMethod(adding.setupIntentId);
    const { delegationId } = await delegation.createDelegation({
      provider: "card-processor",
      providerPaymentMethodId: paymentMethodId ?? "",
      spendingLimitCents: 1_200n,
      ...limits,
      durationSecs: 365 * DAY,
      currency: "usd",
      planIds: [planId],
    });
    await money.setRenewal({ planId, isOn: true, delegationId });
    return delegationId;
  };
  /** The holder of the card confirms the newest order's payment. */
  const confirm = async ({ subscriber, planId }: CardShop) => {
    const { holdings, plans } = subscriber.payments;
    const { items } = await holdings.listOrders({ planId });
    const { confirmation } = await plans.getOrder(items[0]?.orderId ?? "");
    const { origin, pathname, searchParams } = new URL(confirmation?.confirmationUrl ?? "");
    const secret = searchParams.get("client_secret") ?? "";
    const body = new URLSearchParams({ client_secret: secret, answer: "confirm" });
    await fetch(`${origin}${pathname}`, { method: "POST", body });
  };

  /** Copies a subscriber's renewal to so many other plans, each of which is due a day after the one before. */
  async function copyRenewal({ subscriber, planId }: CardShop, count: number) {
    const copy = async (table: string, changed: Record<string, string>) => {
      const of = table === "renewals" ? `and t.account = '${subscriber.address}'` : "";
      await at.database.query(
        `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${Object.entries({ plan_id: "t.plan_id || '9' || n", ...changed }).flatMap(([name, value]) => [`'${name}'`, value])}))).*
         from ${table} t, generate_series(100, 99 + $2::int) n where t.plan_id = $1 ${of}`,
        [planId, count],
      );
    };
    await copy("plans", { nonce: "null" });
    await copy("plan_versions", {});
    await copy("renewals", { due_at: "t.due_at + n * interval '1 day'" });
  }

  test("renewals are listed in pages, with as many statements for many as for one", async () => {
    const shop = await subscribed();
    const { context, payments } = shop.subscriber;
    const { session } = at.database.orm as unknown as { session: object };
    // Of all connections, not of this one alone.
    const sessions: { prepareQuery(): unknown } = Object.getPrototypeOf(session);
    const statements = vi.spyOn(sessions, "prepareQuery");
    const countOf = async () => {
      statements.mockClear();
      await listRenewals(context, { limit: 100 });
      return statements.mock.calls.length;
    };
    const ofOne = await countOf();
    expect(ofOne).toBeGreaterThan(0);
    await copyRenewal(shop, 160);
    expect(await countOf()).toBe(ofOne);
    statements.mockRestore();
    // As releases ask that know no pages.
    const all = await payments.money.listRenewals();
    expect(all).toMatchObject({ total: 161, page: 1, offset: 1_000, items: { length: 161 } });
    expect(all.nextCursor).toBeUndefined();
    const dates = all.items.map(({ renewsAt = "" }) => renewsAt);
    expect(dates).toEqual(dates.toSorted());
    expect((await payments.money.listRenewals({ page: 1 })).items).toHaveLength(25);
    // By cursor and by page number.
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await payments.money.listRenewals({ limit: 25, ...(cursor && { cursor }) });
      listed.push(...page.items.map(({ planId }) => planId));
      cursor = page.nextCursor;
    } while (cursor);
    expect(listed).toEqual(all.items.map(({ planId }) => planId));
    const third = await payments.money.listRenewals({ limit: 25, page: 3 });
    expect(third.items.map(({ planId }) => planId)).toEqual(listed.slice(50, 75));
    await expect(payments.money.listRenewals({ cursor: "MQ" })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  test("a plan is ordered once per period, before its time ends, and the subscriber is told before", async () => {
    const shop = await subscribed();
    const begun = await renewalOf(shop);
    expect(begun).toMatchObject({ state: "on", price: "5000000", currency: "usd", isSoon: false });
    await pass(MONTH - 3 * DAY + 60);
    expect(await renewalOf(shop)).toMatchObject({ isSoon: true });
    expect(await ordersOf(shop)).toEqual(["minted"]);
    await pass(3 * DAY - 3_600);
    await pass(61);
    const now = await renewalOf(shop);
    const secs = (Date.parse(now?.endsAt ?? "") - Date.parse(begun?.endsAt ?? "")) / 1000;
    expect(secs).toBe(MONTH);
    expect(now).toMatchObject({ state: "on", isSoon: false });
    expect(await chargesOf(shop)).toEqual([500, 500]);
    // Two orders fit into 12.00; the third period stops it.
    await pass(MONTH);
    await pass(MONTH);
    expect(await renewalOf(shop)).toMatchObject({
      state: "stopped",
      failure: { code: "spendingLimitCents" },
    });
    expect(await chargesOf(shop)).toEqual([500, 500, 500]);
  });

  test("it says when its delegation cannot pay for the next period", async () => {
    const shop = await subscribed();
    const { planId, subscriber, delegationId } = shop;
    const { delegation, money } = subscriber.payments;
    expect((await renewalOf(shop))?.obstacle).toBeUndefined();
    expect((await getDelegationEffects(subscriber.context, { delegationId })).renewals).toEqual([
      { planId, name: expect.any(String) },
    ]);
    await delegation.revokeDelegation(delegationId);
    expect(await renewalOf(shop)).toMatchObject({
      state: "on",
      obstacle: { code: "delegation_revoked" },
    });
    const within = async (spendingLimitCents: bigint, days: number) => {
      const other = await delegation.createDelegation({
        provider: "card-processor",
        providerPaymentMethodId: shop.card,
        spendingLimitCents,
        durationSecs: days * DAY,
        currency: "usd",
        planIds: [planId],
      });
      const { obstacle } = await money.setRenewal({
        planId,
        isOn: true,
        delegationId: other.delegationId,
      });
      return obstacle?.code;
    };
    expect(await within(1_200n, 7)).toBe("delegation_expires");
    expect(await within(499n, 365)).toBe("delegation_spent");
    expect(await within(0n, 365)).toBe("delegation_spent");
    expect(await within(500n, 365)).toBeUndefined();
    const off = await money.setRenewal({ planId, isOn: false });
    expect(off.obstacle).toBeUndefined();
  });

  test("it says when the plan can’t be ordered again, or was changed", async () => {
    const shop = await subscribed();
    const { plans } = shop.builder.payments;
    const renewing = async () =>
      (await shop.builder.figures.getPlanFigures({ planId: shop.planId })).renewing;
    await plans.archivePlan(shop.planId);
    expect((await renewalOf(shop))?.obstacle).toEqual({
      code: "conflict",
      message: expect.stringContaining("is archived"),
    });
    await plans.restorePlan(shop.planId);
    expect((await renewalOf(shop))?.obstacle).toBeUndefined();
    expect(await renewing()).toBe(1);
    await plans.updatePlan(shop.planId, {
      priceConfig: getFiatPriceConfig(6_000_000n, shop.builder.address, "USD"),
    });
    expect((await renewalOf(shop))?.obstacle?.code).toBe("price_changed");
    await shop.subscriber.payments.money.setRenewal({ planId: shop.planId, isOn: false });
    expect(await renewing()).toBe(0);
  });

  test("it says when a budget won’t allow the next order, of the time when it is made", async () => {
    const shop = await subscribed();
    const { budgets } = shop.subscriber.payments;
    const codeWith = async (limits: Parameters<typeof budgets.setBudgets>[0]) => {
      await budgets.setBudgets(limits);
      return (await renewalOf(shop))?.obstacle?.code;
    };
    const limit = (cents: bigint, period: "day" | "month" = "month") => ({
      limits: [{ period, unit: "money" as const, limit: cents }],
    });
    expect(await codeWith(limit(499n))).toBe("budget_per_month");
    // The order of today has used it up, and the renewal is on another day.
    expect(await codeWith(limit(500n, "day"))).toBeUndefined();
    expect(await codeWith({ ...limit(500n, "day"), currency: "eur" })).toBe("budget_currency");
    expect(await codeWith({ limits: [], allow: { builders: [shop.subscriber.address] } })).toBe(
      "budget_not_allowed",
    );
  });

  test("one call ends it, and it can be switched on again", async () => {
    const shop = await subscribed();
    const { money } = shop.subscriber.payments;
    const ended = await money.setRenewal({ planId: shop.planId, isOn: false });
    expect(ended).toMatchObject({ state: "off", isSoon: false });
    expect(ended.renewsAt).toBeUndefined();
    await pass(MONTH - 1_000);
    expect(await ordersOf(shop)).toEqual(["minted"]);
    await money.setRenewal({ planId: shop.planId, isOn: true, delegationId: shop.delegationId });
    await pass(1);
    expect(await ordersOf(shop)).toEqual(["minted", "minted"]);
  });

  test("a changed price stops it and says so; nothing is charged", async () => {
    const shop = await subscribed();
    await shop.builder.payments.plans.updatePlan(shop.planId, {
      priceConfig: getFiatPriceConfig(6_000_000n, shop.builder.address, "USD"),
    });
    await pass(MONTH - 1_000);
    expect(await renewalOf(shop)).toMatchObject({
      state: "stopped",
      failure: { code: "price_changed", message: expect.stringContaining("accept") },
    });
    expect(await chargesOf(shop)).toEqual([500]);
    const { money } = shop.subscriber.payments;
    await money.setRenewal({ planId: shop.planId, isOn: true, delegationId: shop.delegationId });
    await pass(1);
    expect(await chargesOf(shop)).toEqual([600, 500]);
  });

  test("a card that is short of money is tried again, and what it was charged is charged once", async () => {
    const shop = await subscribed();
    at.fixture.processor.controls.declineCard(shop.card, "InsufficientFunds");
    await pass(MONTH - 1_000);
    const failing = await renewalOf(shop);
    expect(failing).toMatchObject({ state: "on", failure: { code: "insufficient_funds" } });
    expect(Date.parse(failing?.renewsAt ?? "")).toBeGreaterThan(
      Date.parse(failing?.endsAt ?? "") - MONTH,
    );
    at.fixture.processor.controls.declineCard(shop.card, null);
    await pass(3_700);
    expect((await renewalOf(shop))?.failure).toBeUndefined();
    expect(await ordersOf(shop)).toEqual(["minted", "declined", "minted"]);
    expect(await chargesOf(shop)).toEqual([500, 500]);
  });

  test("attempts go on once the period has ended: after 1, 6, 24 and 24 hours", async () => {
    const shop = await subscribed();
    const begun = await renewalOf(shop);
    at.fixture.processor.controls.declineCard(shop.card, "InsufficientFunds");
    await pass(MONTH - 1_000);
    for (const hours of [1, 6, 24]) {
      await pass(hours * 3_600 + 1);
      const failure = { code: "insufficient_funds" };
      expect(await renewalOf(shop)).toMatchObject({ state: "on", failure });
    }
    at.fixture.processor.controls.declineCard(shop.card, null);
    await pass(24 * 3_600 + 1);
    const now = await renewalOf(shop);
    expect(now).toMatchObject({ state: "on" });
    expect(now?.failure).toBeUndefined();
    expect(await chargesOf(shop)).toEqual([500, 500]);
    // The time begins when it is paid, 55 hours after the first attempt.
    const secs = (Date.parse(now?.endsAt ?? "") - Date.parse(begun?.endsAt ?? "")) / 1000;
    expect(secs).toBeGreaterThan(MONTH + 2 * DAY);
  });

  test("a period that is refunded after its end is not renewed; a part of it is", async () => {
    const [whole, part] = [await subscribed(), await subscribed()];
    for (const { card } of [whole, part])
      at.fixture.processor.controls.declineCard(card, "InsufficientFunds");
    await pass(MONTH - 1_000);
    for (const shop of [whole, part]) {
      const { subscriber, builder, planId, card } = shop;
      const { items } = await subscriber.payments.holdings.listOrders({ planId });
      const orderId = items.find(({ status }) => status === "minted")?.orderId ?? "";
      await builder.payments.money.createRefund({
        orderId,
        ...(shop === part && { amount: "1000000" }),
      });
      at.fixture.processor.controls.declineCard(card, null);
    }
    await pass(3_700);
    expect(await renewalOf(whole)).toMatchObject({
      state: "stopped",
      failure: { code: "refunded" },
    });
    expect(await chargesOf(whole)).toEqual([500]);
    expect(await renewalOf(part)).toMatchObject({ state: "on" });
    expect(await chargesOf(part)).toEqual([500, 500]);
  });

  test("a renewed period that is refunded is not renewed, though the one before it was paid", async () => {
    const shop = await subscribed();
    await pass(MONTH - 1_000);
    const { subscriber, builder, planId } = shop;
    const { items } = await subscriber.payments.holdings.listOrders({ planId });
    await pass(DAY);
    await builder.payments.money.createRefund({ orderId: items[0]?.orderId ?? "" });
    await pass(MONTH - DAY);
    const failure = { code: "refunded" };
    expect(await renewalOf(shop)).toMatchObject({ state: "stopped", failure });
    expect(await ordersOf(shop)).toEqual(["refunded", "minted"]);
  });

  /** Refunds the order of a shop that was paid so many orders ago, or a part of it. */
  async function refund(shop: CardShop, ago: number, amount?: bigint) {
    const { items } = await shop.subscriber.payments.holdings.listOrders({ planId: shop.planId });
    const { orderId = "" } = items[ago] ?? {};
    const { money } = shop.builder.payments;
    return money.createRefund({ orderId, ...(amount !== undefined && { amount }) });
  }

  test("a renewal follows the time that a refund of a part takes, and that a failed refund returns", async () => {
    const shop = await subscribed();
    const begun = await renewalOf(shop);
    const { orderId, reference } = await refund(shop, 0, 2_500_000n);
    await pass(1);
    const due = (at: string | undefined) => Date.parse(at ?? "");
    const sooner = await renewalOf(shop);
    expect(due(begun?.renewsAt) - due(sooner?.renewsAt)).toBe((MONTH / 2) * 1000);
    expect(await ordersOf(shop)).toEqual(["minted"]);
    at.fixture.processor.controls.finishRefund(reference ?? "", "failed");
    await refreshOrder(at.service.ports, orderId ?? "");
    await pass(1);
    expect((await renewalOf(shop))?.renewsAt).toBe(begun?.renewsAt);
    await refund(shop, 0, 2_500_000n);
    await pass(MONTH / 2 - 1_000);
    expect(await ordersOf(shop)).toEqual(["minted", "minted"]);
    await pass(MONTH - 4_000);
    expect(await ordersOf(shop)).toEqual(["minted", "minted"]);
    await pass(2_000);
    expect(await chargesOf(shop)).toEqual([500, 500, 500]);
  });

  test("a refund of an earlier order ends no renewal", async () => {
    const shop = await subscribed();
    await pass(MONTH - 1_000);
    await pass(2_000);
    expect(await ordersOf(shop)).toEqual(["minted", "minted"]);
    await refund(shop, 1);
    await pass(MONTH - 3_000);
    expect(await renewalOf(shop)).toMatchObject({ state: "on" });
    expect(await ordersOf(shop)).toEqual(["minted", "minted", "refunded"]);
  });

  describe("when the processor takes all time of the period before the renewed one", () => {
    /** A subscription on day 40, ten days into its renewed period, and the payment of its first order. */
    async function renewed() {
      const shop = await subscribed();
      await pass(MONTH - 1_000);
      await pass(10 * DAY);
      const { items } = await shop.subscriber.payments.holdings.listOrders({ planId: shop.planId });
      const { orderId = "", reference = "" } = items[1] ?? {};
      return { ...shop, orderId, reference };
    }

    test("by a refund in its dashboard, the renewal orders the time anew, once", async () => {
      const shop = await renewed();
      await at.fixture.stripe.refunds.create({ payment_intent: shop.reference, amount: 500 });
      await refreshOrder(at.service.ports, shop.orderId);
      for (let round = 0; round < 4; round += 1) await pass(61);
      expect(await ordersOf(shop)).toEqual(["minted", "minted", "refunded"]);
      const now = (await at.service.ports.clock.now()).getTime();
      const { endsAt = "", ...renewal } = (await renewalOf(shop)) ?? {};
      expect(renewal).toMatchObject({ state: "on" });
      const days = (Date.parse(endsAt) - now) / 1000 / DAY;
      expect(days).toBeGreaterThan(29);
      expect(days).toBeLessThan(30);
      await pass(20 * DAY);
      expect(await ordersOf(shop)).toEqual(["minted", "minted", "refunded"]);
    });

    test("by a chargeback, the renewal ends with the delegation that it revokes", async () => {
      const shop = await renewed();
      at.fixture.processor.controls.openDispute(shop.reference);
      await refreshOrder(at.service.ports, shop.orderId);
      for (let round = 0; round < 4; round += 1) await pass(61);
      expect(await renewalOf(shop)).toMatchObject({
        state: "stopped",
        failure: { message: expect.stringContaining("revoked") },
      });
    });

    test("and the renewal was switched off and on since, it orders the time anew", async () => {
      const shop = await subscribed();
      await pass(MONTH - 1_000);
      const { items } = await shop.subscriber.payments.holdings.listOrders({ planId: shop.planId });
      const { orderId = "", reference = "" } = items[1] ?? {};
      const { money } = shop.subscriber.payments;
      await money.setRenewal({ planId: shop.planId, isOn: false });
      await at.fixture.stripe.refunds.create({ payment_intent: reference, amount: 500 });
      await refreshOrder(at.service.ports, orderId);
      await money.setRenewal({ planId: shop.planId, isOn: true, delegationId: shop.delegationId });
      await pass(1);
      expect(await ordersOf(shop)).toEqual(["minted", "minted", "refunded"]);
    });
  });

  test.each(["earlier", "renewed"] as const)(
    "killed before it noted its order, it still follows a refund of the %s one",
    async (which) => {
      const shop = await subscribed();
      await at.service.ports.clock.advance(MONTH - 1_000);
      const death = { step: "renewals.moveOn", when: "before" } as const;
      await resolveRenewals(dying(at.service.ports, death)).catch(() => null);
      expect(await ordersOf(shop)).toEqual(["minted", "minted"]);
      const { items } = await shop.subscriber.payments.holdings.listOrders({ planId: shop.planId });
      const order = items[which === "earlier" ? 1 : 0];
      await at.fixture.stripe.refunds.create({
        payment_intent: order?.reference ?? "",
        amount: 500,
      });
      await refreshOrder(at.service.ports, order?.orderId ?? "");
      for (let round = 0; round < 4; round += 1) await pass(61);
      expect(await ordersOf(shop)).toEqual(
        which === "earlier" ? ["minted", "minted", "refunded"] : ["refunded", "minted"],
      );
    },
  );

  test("a period that is refunded before it begins is not renewed", async () => {
    const shop = await subscribed();
    await pass(MONTH - 3_000);
    expect(await ordersOf(shop)).toEqual(["minted", "minted"]);
    await refund(shop, 0);
    await pass(2_000);
    expect(await ordersOf(shop)).toEqual(["refunded", "minted"]);
    expect(await renewalOf(shop)).toMatchObject({ state: "on" });
    await pass(MONTH);
    const failure = { code: "refunded" };
    expect(await renewalOf(shop)).toMatchObject({ state: "stopped", failure });
    expect(await ordersOf(shop)).toEqual(["refunded", "minted"]);
  });

  test("switched on again before a refunded period would have begun, it orders that period anew", async () => {
    const shop = await subscribed();
    await pass(MONTH - 3_000);
    await refund(shop, 0);
    await pass(1);
    const { money } = shop.subscriber.payments;
    const { planId, delegationId } = shop;
    await money.setRenewal({ planId, isOn: false });
    await money.setRenewal({ planId, isOn: true, delegationId });
    await pass(1);
    expect(await ordersOf(shop)).toEqual(["minted", "refunded", "minted"]);
    await pass(MONTH - 3_600);
    expect(await renewalOf(shop)).toMatchObject({ state: "on" });
    expect(await ordersOf(shop)).toEqual(["minted", "refunded", "minted"]);
  });

  test("a payment that the bank has the subscriber confirm names its order", async () => {
    const shop = await subscribed();
    await renewsBy(shop, "pm_card_authenticationRequired", { maxTransactions: 1 });
    await pass(MONTH - 1_000);
    const { items } = await shop.subscriber.payments.holdings.listOrders({ planId: shop.planId });
    expect(items.map(({ status }) => status)).toEqual(["requires_action", "minted"]);
    const [waiting] = items;
    expect(await renewalOf(shop)).toMatchObject({
      state: "on",
      failure: { code: "requires_action" },
      orderId: waiting?.orderId,
    });
    expect(await renewalOf(shop)).not.toHaveProperty("obstacle");
    await confirm(shop);
    await pass(61);
    await pass(61);
    const confirmed = await renewalOf(shop);
    expect(confirmed).not.toHaveProperty("orderId");
    expect(confirmed).not.toHaveProperty("failure");
    expect(await ordersOf(shop)).toEqual(["minted", "minted"]);
  });

  test.each(["switched over", "switched off and on"])(
    "%s to another card while a payment waits for its confirmation, it is paid by the other card",
    async (how) => {
      const shop = await subscribed();
      const waiting = await renewsBy(shop, "pm_card_authenticationRequired");
      await pass(MONTH - 1_000);
      expect(await ordersOf(shop)).toEqual(["requires_action", "minted"]);
      const { delegation, money } = shop.subscriber.payments;
      const { planId, delegationId } = shop;
      if (how === "switched off and on") await money.setRenewal({ planId, isOn: false });
      await money.setRenewal({ planId, isOn: true, delegationId });
      if (how === "switched over") await delegation.revokeDelegation(waiting);
      await pass(61);
      await pass(61);
      expect(await ordersOf(shop)).toEqual(["minted", "declined", "minted"]);
      expect(await chargesOf(shop)).toEqual([500, 500]);
      expect(await renewalOf(shop)).toMatchObject({ state: "on", delegationId });
    },
  );

  test("switched to another card after its payment was confirmed, the period is charged once", async () => {
    const shop = await subscribed();
    await renewsBy(shop, "pm_card_authenticationRequired");
    await pass(MONTH - 1_000);
    await confirm(shop);
    const { planId, delegationId } = shop;
    await shop.subscriber.payments.money.setRenewal({ planId, isOn: true, delegationId });
    await pass(61);
    await pass(61);
    expect(await ordersOf(shop)).toEqual(["minted", "minted"]);
    expect(await chargesOf(shop)).toEqual([500, 500]);
  });

  test("switched to another card while an outcome is unknown, the period is charged once", async () => {
    const shop = await subscribed();
    at.fixture.processor.faults.add({ kind: "lose-reply", path: "/v1/payment_intents", times: 2 });
    await at.service.ports.clock.advance(MONTH - 1_000);
    await resolveRenewals(at.service.ports);
    expect(await ordersOf(shop)).toEqual(["charging", "minted"]);
    await renewsBy(shop, "pm_card_visa");
    await resolveRenewals(at.service.ports);
    expect(await ordersOf(shop)).toEqual(["charging", "minted"]);
    at.fixture.processor.faults.clear();
    await pass(61);
    await pass(61);
    expect(await ordersOf(shop)).toEqual(["minted", "minted"]);
    expect(await chargesOf(shop)).toEqual([500, 500]);
  });

  test("the terms that are agreed to are those that were shown", async () => {
    const shop = await subscribed();
    const { money, plans } = shop.subscriber.payments;
    const { version } = await plans.getPlan(shop.planId);
    const again = { planId: shop.planId, isOn: true, delegationId: shop.delegationId };
    await money.setRenewal({ ...again, planVersion: version });
    await shop.builder.payments.plans.updatePlan(shop.planId, {
      priceConfig: getFiatPriceConfig(9_000_000n, shop.builder.address, "USD"),
    });
    await expect(money.setRenewal({ ...again, planVersion: version })).rejects.toMatchObject({
      code: "conflict",
      details: [{ path: "planVersion", message: `The plan has version ${version + 1}.` }],
    });
    expect(await renewalOf(shop)).toMatchObject({ price: "5000000" });
    await money.setRenewal({ ...again, planVersion: version + 1 });
    expect(await renewalOf(shop)).toMatchObject({ price: "9000000" });
  });

  test("an attempt on another delegation than the one that was agreed to meanwhile changes nothing", async () => {
    const shop = await subscribed();
    const { delegation, money } = shop.subscriber.payments;
    const other = await delegation.createDelegation({
      provider: "card-processor",
      providerPaymentMethodId: shop.card,
      spendingLimitCents: 1_200n,
      durationSecs: 365 * DAY,
      currency: "usd",
      planIds: [shop.planId],
    });
    const { renewals } = at.service.ports;
    const { items } = await renewals.list(shop.subscriber.address, { planId: shop.planId });
    const [taken] = items;
    if (!taken) throw new Error("There is no such renewal.");
    const { planId } = shop;
    await money.setRenewal({ planId, isOn: true, delegationId: other.delegationId });
    const failure = { code: "delegation_revoked", message: "The delegation was revoked." };
    await renewals.moveOn(taken, { state: "stopped", failure });
    expect(await renewalOf(shop)).toMatchObject({
      state: "on",
      delegationId: other.delegationId,
    });
  });

  test("ending a renewal whose last attempt failed leaves no failure behind", async () => {
    const shop = await subscribed();
    at.fixture.processor.controls.declineCard(shop.card, "InsufficientFunds");
    await pass(MONTH - 1_000);
    expect((await renewalOf(shop))?.failure?.code).toBe("insufficient_funds");
    const { money } = shop.subscriber.payments;
    await money.setRenewal({ planId: shop.planId, isOn: false });
    const ended = await renewalOf(shop);
    expect(ended).toMatchObject({ state: "off" });
    expect(ended).not.toHaveProperty("failure");
  });

  test("a rule for approvals stops a renewal that an API key switched on, also when the rule is later", async () => {
    const shop = await subscribed();
    const { planId, delegationId, subscriber } = shop;
    const { budgets } = subscriber.payments;
    await budgets.setBudgets({ approval: { above: 500n } });
    expect(await renewalOf(shop)).not.toHaveProperty("obstacle");
    await budgets.setBudgets({ approval: { above: 499n } });
    expect((await renewalOf(shop))?.obstacle).toEqual({
      code: "pending_approval",
      message: expect.stringContaining("Sign in and turn it on"),
    });
    await pass(MONTH - 1_000);
    expect(await renewalOf(shop)).toMatchObject({
      state: "stopped",
      failure: { code: "pending_approval", message: expect.stringContaining("API key") },
    });
    expect(await ordersOf(shop)).toEqual(["minted"]);
    await subscriber.payments.money.setRenewal({ planId, isOn: true, delegationId });
    await pass(1);
    expect(await ordersOf(shop)).toEqual(["minted"]);
    // A person's own order needs no approval.
    await setRenewal(subscriber.context, { planId, isOn: true, delegationId });
    expect(await renewalOf(shop)).not.toHaveProperty("obstacle");
    await pass(1);
    expect(await renewalOf(shop)).toMatchObject({ state: "on" });
    expect(await chargesOf(shop)).toEqual([500, 500]);
  });

  test("a card that was declined for good, a revoked delegation and a refund stop it", async () => {
    const lost = await subscribed();
    at.fixture.processor.controls.declineCard(lost.card, "StolenCard");
    const revoked = await subscribed();
    await revoked.subscriber.payments.delegation.revokeDelegation(revoked.delegationId);
    const refunded = await subscribed();
    const { items } = await refunded.subscriber.payments.holdings.listOrders({
      planId: refunded.planId,
    });
    await refunded.builder.payments.money.createRefund({ orderId: items[0]?.orderId });
    await pass(MONTH - 1_000);
    const failures = await Promise.all([lost, revoked, refunded].map(renewalOf));
    expect(failures.map((renewal) => renewal?.state)).toEqual(["stopped", "stopped", "stopped"]);
    expect(failures[1]?.failure?.message).toContain("revoked");
    expect(failures[2]?.failure?.code).toBe("refunded");
    expect(await chargesOf(lost)).toEqual([500]);
    expect(await chargesOf(revoked)).toEqual([500]);
  });

  test("an answer that is lost is looked up: the period is charged once", async () => {
    const shop = await subscribed();
    at.fixture.processor.faults.add({ kind: "lose-reply", path: "/v1/payment_intents", times: 2 });
    await at.service.ports.clock.advance(MONTH - 1_000);
    await resolveRenewals(at.service.ports);
    expect(await ordersOf(shop)).toEqual(["charging", "minted"]);
    const { money } = shop.subscriber.payments;
    const again = { planId: shop.planId, isOn: true, delegationId: shop.delegationId };
    // Switching it off and on while the outcome is unknown makes no second order.
    await money.setRenewal({ ...again, isOn: false });
    await money.setRenewal(again);
    at.fixture.processor.faults.clear();
    await pass(61);
    await pass(61);
    expect(await ordersOf(shop)).toEqual(["minted", "minted"]);
    expect(await chargesOf(shop)).toEqual([500, 500]);
  });

  test.each(
    deathsAt([
      "renewals.takeDue",
      "orders.reserveRenewal",
      "rails.charge",
      "orders.mint",
      "renewals.moveOn",
    ]),
  )("killed $when $step, two replicas order the period once", async (death) => {
    const shop = await subscribed();
    await at.service.ports.clock.advance(MONTH - 1_000);
    await resolveRenewals(dying(at.service.ports, death)).catch(() => null);
    for (let round = 0; round < 3; round += 1) {
      await at.service.ports.clock.advance(61);
      await Promise.all([resolveRenewals(at.service.ports), resolveRenewals(at.service.ports)]);
      await resolveOrders(at.service.ports);
    }
    expect(await ordersOf(shop)).toEqual(["minted", "minted"]);
    expect(await chargesOf(shop)).toEqual([500, 500]);
    expect(await renewalOf(shop)).toMatchObject({ state: "on", isSoon: false });
  });

  test("bad input has its own answer", async () => {
    const shop = await subscribed();
    const { money } = shop.subscriber.payments;
    const { planId, delegationId } = shop;
    const refusal = (work: Promise<unknown>) =>
      work.then(
        () => "accepted",
        (cause: Error) => cause.message,
      );
    expect(await refusal(money.setRenewal({ planId, isOn: true }))).toContain(
      "Name the delegation",
    );
    const other = await openCardShop(at.service);
    const { payments } = other.subscriber;
    expect(await refusal(payments.money.setRenewal({ planId, isOn: false }))).toContain(
      "no renewal",
    );
    expect(
      await refusal(payments.money.setRenewal({ planId, isOn: true, delegationId })),
    ).toContain("no subscription");
    await payments.plans.orderPlan(other.planId, { providerPaymentMethodId: other.card });
    expect(
      await refusal(payments.money.setRenewal({ planId: other.planId, isOn: true, delegationId })),
    ).toContain("Only time plans renew");
    await at.service.ports.clock.advance(MONTH + 1);
    await money.setRenewal({ planId, isOn: false });
    expect(await refusal(money.setRenewal({ planId, isOn: true, delegationId }))).toContain(
      "has expired",
    );
  });
});
