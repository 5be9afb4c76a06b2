import { getExpirableDurationConfig } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { refreshOrder } from "../orders/resolve-orders.ts";

const DAY = 86_400;

describe.each(ruleStores())("time that is taken back and given back, $name", ({ open }) => {
  const at = useCardService(open);

  /** A plan of 30 days, and what happens to its orders; days count from its opening. */
  async function openMonths() {
    const credits = getExpirableDurationConfig(BigInt(30 * DAY));
    const shop = await openCardShop(at.service, { credits, isTimePlan: true });
    const { clock } = at.service.ports;
    const start = (await clock.now()).getTime();
    const { controls } = at.fixture.processor;
    const daysAt = (ms: number) => (ms - start) / 1000 / DAY;
    return {
      until: async (day: number) =>
        clock.advance(Math.round((day - daysAt((await clock.now()).getTime())) * DAY)),
      async order() {
        const { orderId, txHash = "" } = await shop.subscriber.payments.plans.orderPlan(
          shop.planId,
        );
        let undo = () => {};
        const refresh = async () => {
          for (let time = 0; time < 2; time++) await refreshOrder(at.service.ports, orderId);
        };
        return {
          async dispute() {
            const dispute = controls.openDispute(txHash);
            undo = () => controls.endDispute(dispute, "won");
            await refresh();
          },
          async refundInDashboard(amount = 500) {
            const { id } = await at.fixture.stripe.refunds.create({
              payment_intent: txHash,
              amount,
            });
            undo = () => controls.finishRefund(id, "failed");
            await refresh();
          },
          /** The dispute is won, or the refund is sent back by the bank. */
          async returned() {
            undo();
            await refresh();
          },
        };
      },
      /** The day on which the subscription ends. */
      async end() {
        const { expiresAt } = await at.balanceOf(shop);
        return Math.round(daysAt(Date.parse(expiresAt ?? "")) * 100) / 100;
      },
    };
  }
  test("an order before the end prolongs a time plan, and nothing of it expires", async () => {
    const shop = await openCardShop(at.service, {
      credits: getExpirableDurationConfig(BigInt(30 * DAY)),
      isTimePlan: true,
    });
    const { clock } = at.service.ports;
    const order = () => shop.subscriber.payments.plans.orderPlan(shop.planId);
    const told = async () =>
      (
        await at.database.query<{ type: string }>(
          "select type from event_queue where type like 'credits.%' and data->>'planId' = $1 order by id",
          [shop.planId],
        )
      ).map(({ type }) => type);
    const entries = async () => {
      const month = (await clock.now()).toISOString().slice(0, 7);
      const { sections } = await shop.subscriber.payments.money.getStatement(month);
      const credits = sections.find(({ section }) => section === "credits");
      return credits?.entries.map(({ kind, amount }) => `${kind} ${amount}`).slice(-2);
    };
    await order();
    await order();
    expect(await told()).toEqual(["credits.granted", "credits.granted"]);
    expect(await entries()).toEqual(["order 1", "order 0"]);
    await clock.advance(61 * DAY);
    await order();
    expect((await told()).slice(2)).toEqual(["credits.expired", "credits.granted"]);
  });

  type Taken = Awaited<ReturnType<Awaited<ReturnType<typeof openMonths>>["order"]>>;
  const takings: [string, (order: Taken) => Promise<void>][] = [
    ["a dispute that is won", (order) => order.dispute()],
    ["a dashboard refund that the bank sends back", (order) => order.refundInDashboard()],
  ];

  test.each(takings)("%s returns all of the time", async (_, take) => {
    const months = await openMonths();
    const first = await months.order();
    await months.until(10);
    await take(first);
    await months.until(15);
    await first.returned();
    expect(await months.end()).toBe(30);
  });

  test.each(takings)("%s after another order returns the days that were left", async (_, take) => {
    const months = await openMonths();
    const first = await months.order();
    await months.until(10);
    await take(first);
    await months.order();
    expect(await months.end()).toBe(40);
    await first.returned();
    expect(await months.end()).toBe(60);
  });

  test("a part of an order's time returns as far as it was left", async () => {
    const months = await openMonths();
    const first = await months.order();
    await months.until(24);
    await first.refundInDashboard(250);
    await months.order();
    expect(await months.end()).toBe(54);
    await first.returned();
    expect(await months.end()).toBe(60);
  });

  test("of two disputed orders each returns what was left of it", async () => {
    const months = await openMonths();
    const [first, second] = [await months.order(), await months.order()];
    await months.until(10);
    await first.dispute();
    await second.dispute();
    await first.returned();
    expect(await months.end()).toBe(30);
    await second.returned();
    expect(await months.end()).toBe(60);
    await second.dispute();
    await first.dispute();
    await months.order();
    expect(await months.end()).toBe(40);
    await first.returned();
    await second.returned();
    expect(await months.end()).toBe(90);
  });

  test("what a won dispute made up for is not left out of another after an order", async () => {
    const months = await openMonths();
    const [first, second] = [await months.order(), await months.order()];
    await months.until(10);
    await first.dispute();
    await second.dispute();
    await first.returned();
    await months.order();
    expect(await months.end()).toBe(60);
    await second.returned();
    expect(await months.end()).toBe(90);
  });

  test("an order whose time had passed returns none after another order", async () => {
    const months = await openMonths();
    const first = await months.order();
    await months.until(40);
    await first.dispute();
    await months.order();
    await first.returned();
    expect(await months.end()).toBe(70);
  });
});
