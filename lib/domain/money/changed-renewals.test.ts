import { getExpirableDurationConfig, getFiatPriceConfig } from "@turnpike/payments/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { type CardShop, openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import type { Ports } from "../ports.ts";
import { resolveRenewals } from "./resolve-renewals.ts";

const DAY = 86_400;
const MONTH = 30 * DAY;

describe.each(ruleStores())("renewals that are changed during a round, $name", ({ open }) => {
  const at = useCardService(open);

  afterEach(async () => {
    await at.database.query("update renewals set state = 'off', due_at = null", []);
  });

  type Renewed = CardShop & { delegationId: string };
  async function subscribed(): Promise<Renewed> {
    const credits = getExpirableDurationConfig(BigInt(MONTH));
    const shop = await openCardShop(at.service, { credits, isTimePlan: true });
    await shop.subscriber.payments.plans.orderPlan(shop.planId, {
      providerPaymentMethodId: shop.card,
    });
    const delegationId = await delegate(shop);
    await switchOn(shop, delegationId);
    return { ...shop, delegationId };
  }
  const delegate = async ({ subscriber, planId, card }: CardShop) => {
    const { delegationId } = await subscriber.payments.delegation.createDelegation({
      provider: "card-processor",
      providerPaymentMethodId: card,
      spendingLimitCents: 1_200n,
      durationSecs: 365 * DAY,
      currency: "usd",
      planIds: [planId],
    });
    return delegationId;
  };
  const switchOn = ({ subscriber, planId }: CardShop, delegationId: string) =>
    subscriber.payments.money.setRenewal({ planId, isOn: true, delegationId });
  const switchOff = ({ subscriber, planId }: CardShop) =>
    subscriber.payments.money.setRenewal({ planId, isOn: false });
  const stateOf = async ({ subscriber, planId }: CardShop) =>
    (await subscriber.payments.money.listRenewals({ planId })).items[0]?.state;
  const ordersOf = ({ subscriber, planId }: CardShop) =>
    at.database.query<{ delegation_id: string | null }>(
      "select delegation_id from orders where account = $1 and plan_id = $2 order by created_at",
      [subscriber.address, planId],
    );

  /** Two renewals that are due in one round; while the first one is paid, `change` happens to the other, which is returned. */
  async function changedMeanwhile(change: (other: Renewed) => Promise<unknown>): Promise<Renewed> {
    const shops = [await subscribed(), await subscribed()] as const;
    await at.service.ports.clock.advance(MONTH - 1_800);
    const { ports } = at.service;
    let changed: Renewed | undefined;
    const reserveRenewal: Ports["orders"]["reserveRenewal"] = async (order, ...rest) => {
      const other = shops.find(({ planId }) => planId !== order.planId);
      if (!changed && other) {
        changed = other;
        await change(other);
      }
      return ports.orders.reserveRenewal(order, ...rest);
    };
    await resolveRenewals({ ...ports, orders: { ...ports.orders, reserveRenewal } });
    return changed ?? expect.fail("No renewal was ordered.");
  }

  test("one that was switched off is not ordered", async () => {
    const shop = await changedMeanwhile(switchOff);
    expect(await ordersOf(shop)).toHaveLength(1);
    expect(await stateOf(shop)).toBe("off");
  });

  test("one that was given another delegation is ordered under that", async () => {
    let delegationId = "";
    const shop = await changedMeanwhile(async (other) => {
      delegationId = await delegate(other);
      await switchOn(other, delegationId);
    });
    const [, order] = await ordersOf(shop);
    expect(order).toEqual({ delegation_id: delegationId });
  });

  test("a new price that was accepted is paid", async () => {
    const shop = await changedMeanwhile(async (other) => {
      const priceConfig = getFiatPriceConfig(6_000_000n, other.builder.address, "USD");
      await other.builder.payments.plans.updatePlan(other.planId, { priceConfig });
      await switchOn(other, other.delegationId);
    });
    expect(await ordersOf(shop)).toHaveLength(2);
    expect(await stateOf(shop)).toBe("on");
  });

  test("what changes right before the order is written is neither ordered nor overwritten", async () => {
    const shop = await subscribed();
    await at.service.ports.clock.advance(MONTH - 1_800);
    const { ports } = at.service;
    const change = async (work: () => Promise<unknown>) => {
      const reserveRenewal: Ports["orders"]["reserveRenewal"] = async (...call) => {
        await work();
        return ports.orders.reserveRenewal(...call);
      };
      await resolveRenewals({ ...ports, orders: { ...ports.orders, reserveRenewal } });
    };
    const another = await delegate(shop);
    await change(() => switchOn(shop, another));
    expect(await ordersOf(shop)).toHaveLength(1);
    await change(() => switchOff(shop));
    expect(await ordersOf(shop)).toHaveLength(1);
    expect(await stateOf(shop)).toBe("off");
    await switchOn(shop, another);
    await resolveRenewals(ports);
    expect((await ordersOf(shop))[1]).toEqual({ delegation_id: another });
  });

  test("a price that is accepted while the old one is refused stays accepted", async () => {
    const shop = await subscribed();
    await at.service.ports.clock.advance(MONTH - 1_800);
    const priceConfig = getFiatPriceConfig(6_000_000n, shop.builder.address, "USD");
    await shop.builder.payments.plans.updatePlan(shop.planId, { priceConfig });
    const { ports } = at.service;
    const moveOn: Ports["renewals"]["moveOn"] = async (...call) => {
      await switchOn(shop, shop.delegationId);
      await ports.renewals.moveOn(...call);
    };
    await resolveRenewals({ ...ports, renewals: { ...ports.renewals, moveOn } });
    expect(await stateOf(shop)).toBe("on");
    await resolveRenewals(ports);
    expect(await ordersOf(shop)).toHaveLength(2);
  });
});
