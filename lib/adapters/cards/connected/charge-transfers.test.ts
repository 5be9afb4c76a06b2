import { describe, expect, test } from "vitest";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { refreshOrder } from "@/lib/domain/orders/resolve-orders.ts";
import type { TestParty, TestService } from "@/lib/server/testing/test-service.ts";
import type { CardShop } from "../testing/card-shop.ts";
import { lookAtOrders, openConnectedShop, orderCard } from "../testing/connected-shop.ts";
import { useCardService } from "../testing/use-card-service.ts";

const PRICE = 5_000_000n;

describe.each(ruleStores())(
  "sales that go on to a builder with their charge, $name",
  ({ open }) => {
    const at = useCardService(open);

    test("a fee is not shown to their builder, who gets the whole sale", async () => {
      const { shop, service, held } = await openConnectedShop(at, 250);
      await orderCard(shop);
      expect(await held()).toBe(500);
      const feeOf = async ({ money }: TestParty) => (await money.getPayoutSetup({})).feeBps;
      expect(await feeOf(shop.builder)).toBe(0);
      expect(await feeOf(await service.party())).toBe(250);
    });

    test("a chargeback is taken back from the builder's account, once, and owed to them again when it is won", async () => {
      const { shop, service, held } = await openConnectedShop(at);
      const { orderId, payment } = await orderCard(shop);
      expect([await held(), await at.owedTo(shop)]).toEqual([500, 0n]);
      const { controls } = at.fixture.processor;
      const dispute = controls.openDispute(payment, "fraudulent", 300);
      await Promise.all([
        refreshOrder(service.ports, orderId),
        refreshOrder(service.ports, orderId),
      ]);
      expect([await held(), await at.owedTo(shop)]).toEqual([200, 0n]);
      controls.advance(86_401);
      await lookAtOrders(service);
      await refreshOrder(service.ports, orderId);
      expect(await held()).toBe(200);
      controls.endDispute(dispute, "won");
      await refreshOrder(service.ports, orderId);
      expect([await held(), await at.owedTo(shop)]).toEqual([200, 3_000_000n]);
    });

    test("a chargeback of what the account has no more is tried again, and operators are told of it", async () => {
      const { shop, service, held, empty, errors } = await openConnectedShop(at);
      const { orderId, payment } = await orderCard(shop);
      const refill = await empty();
      at.fixture.processor.controls.openDispute(payment);
      await refreshOrder(service.ports, orderId);
      expect([await held(), await at.owedTo(shop)]).toEqual([0, -PRICE]);
      for (let look = 0; look < 8; look += 1) await lookAtOrders(service);
      expect(errors).toEqual([
        expect.stringContaining("not taken back from the builder's account"),
      ]);
      refill();
      await lookAtOrders(service);
      expect([await held(), await at.owedTo(shop)]).toEqual([0, 0n]);
      expect(errors).toHaveLength(1);
    });

    test("what a refused reversal left is taken after a part was reversed by hand and the service started again", async () => {
      const { shop, service, held, empty, restart } = await openConnectedShop(at);
      const { orderId, payment } = await orderCard(shop);
      const { stripe, processor } = at.fixture;
      const refill = await empty();
      processor.controls.openDispute(payment, "fraudulent", 300);
      await refreshOrder(service.ports, orderId);
      refill();
      const { data } = await stripe.transfers.list({ limit: 1 });
      await stripe.transfers.createReversal(data[0]?.id ?? "", { amount: 100 });
      let ahead = 0;
      const restarted = restart(() => new Date(Date.now() + ahead));
      for (; ahead < 900_000; ahead += 301_000) await lookAtOrders(restarted);
      expect([await held(), await at.owedTo(shop)]).toEqual([200, 0n]);
    });

    test("a reversal whose answer was lost is made once, and one made by hand counts", async () => {
      const { shop, service, held } = await openConnectedShop(at);
      const { stripe, processor } = at.fixture;
      const [first, second] = [await orderCard(shop), await orderCard(shop)];
      const { data } = await stripe.transfers.list({ limit: 2 });
      const path = `/v1/transfers/${data[1]?.id}/reversals`;
      processor.faults.add({ kind: "lose-reply", path, times: 2 });
      await stripe.transfers.createReversal(data[0]?.id ?? "");
      for (const { orderId, payment } of [first, second]) {
        processor.controls.openDispute(payment);
        await refreshOrder(service.ports, orderId);
      }
      await lookAtOrders(service);
      await lookAtOrders(service);
      expect([await held(), await at.owedTo(shop)]).toEqual([0, 0n]);
    });

    test("of a payment that is disputed before its order finds it, the builder keeps nothing", async () => {
      const { shop, held, empty, errors, restart } = await openConnectedShop(at);
      const { processor, stripe } = at.fixture;
      processor.faults.add({ kind: "lose-reply", path: "/v1/payment_intents", times: 4 });
      await shop.subscriber.payments.plans.orderPlan(shop.planId).catch(() => {});
      const [intent] = (await stripe.paymentIntents.list({ limit: 1 })).data;
      const refill = await empty();
      const dispute = processor.controls.openDispute(intent?.id ?? "");
      const restarted = restart();
      for (let look = 0; look < 8; look += 1) await lookAtOrders(restarted);
      const { ports } = restarted;
      const orderId = intent?.metadata.order_id ?? "";
      expect(await ports.orders.find(orderId)).toMatchObject({ status: "declined" });
      expect(errors).toEqual([
        expect.stringContaining("not taken back from the builder's account"),
      ]);
      refill();
      await lookAtOrders(restarted);
      expect([await held(), await at.owedTo(shop)]).toEqual([0, 0n]);
      expect(await ports.orders.find(orderId)).toMatchObject({ dueAt: null, stuckAt: null });
      // What was won is the subscriber's, who got nothing for it.
      processor.controls.endDispute(dispute, "won");
      await refreshOrder(ports, orderId);
      const { data } = await stripe.refunds.list({ payment_intent: intent?.id ?? "" });
      expect(data).toMatchObject([{ amount: 500, status: "succeeded" }]);
      expect([await held(), await at.owedTo(shop)]).toEqual([0, 0n]);
    });

    test("of a payment that is disputed before it could be refunded, the builder keeps nothing", async () => {
      const { shop, service, held, restart } = await openConnectedShop(at);
      const { processor, stripe } = at.fixture;
      processor.faults.add({ kind: "lose-reply", path: "/v1/payment_intents", times: 4 });
      await shop.subscriber.payments.plans.orderPlan(shop.planId).catch(() => {});
      const [intent] = (await stripe.paymentIntents.list({ limit: 1 })).data;
      const { orders } = service.ports;
      const orderId = intent?.metadata.order_id ?? "";
      await orders.decline(orderId, "declined", { code: "not_paid_in_time", message: "Late." });
      await orders.oweRefund(orderId);
      processor.controls.openDispute(intent?.id ?? "");
      const restarted = restart();
      for (let look = 0; look < 2; look += 1) await lookAtOrders(restarted);
      expect(await held()).toBe(0);
      expect(await orders.find(orderId)).toMatchObject({ refundState: "done", dueAt: null });
    });

    /** A declined order whose payment went through, and is disputed; the service was started again since. */
    async function disputedLate(service: TestService) {
      const { processor, stripe } = at.fixture;
      const [intent] = (await stripe.paymentIntents.list({ limit: 1 })).data;
      const orderId = intent?.metadata.order_id ?? "";
      const failure = { code: "not_paid_in_time", message: "Late." };
      await service.ports.orders.decline(orderId, "declined", failure);
      processor.controls.openDispute(intent?.id ?? "");
      return orderId;
    }
    const orderLost = async ({ subscriber, planId }: CardShop) => {
      at.fixture.processor.faults.add({
        kind: "lose-reply",
        path: "/v1/payment_intents",
        times: 4,
      });
      await subscriber.payments.plans.orderPlan(planId).catch(() => {});
    };

    test("operators are told once of a payment that is not taken back, however often it is read", async () => {
      const { shop, service, empty, errors, restart } = await openConnectedShop(at);
      await orderLost(shop);
      const orderId = await disputedLate(service);
      await empty();
      const { ports } = restart();
      await refreshOrder(ports, orderId);
      for (let look = 0; look < 8; look += 1) await lookAtOrders({ ports });
      for (let read = 0; read < 3; read += 1) {
        await refreshOrder(ports, orderId);
        expect(await ports.orders.countStuck()).toBe(1);
      }
      expect(errors).toHaveLength(1);
    });

    test("one look that gets no answer is no alarm, however old the order is", async () => {
      const { shop, service, errors, restart } = await openConnectedShop(at);
      await orderLost(shop);
      await service.ports.clock.advance(86_400);
      const orderId = await disputedLate(service);
      const { stripe, processor } = at.fixture;
      const { ports } = restart();
      const { data } = await stripe.transfers.list({ limit: 1 });
      processor.faults.add({ kind: "lose-reply", path: `/v1/transfers/${data[0]?.id}`, times: 9 });
      await refreshOrder(ports, orderId);
      await lookAtOrders({ ports });
      processor.faults.clear();
      expect(errors).toEqual([]);
    });

    test("a refund that its bank sends back is owed to the builder, whose account paid for it", async () => {
      const { shop, service, held } = await openConnectedShop(at);
      const { orderId, payment } = await orderCard(shop);
      await shop.builder.payments.money.createRefund({ orderId, amount: 2_000_000n });
      expect([await held(), await at.owedTo(shop)]).toEqual([300, 0n]);
      const { data } = await at.fixture.stripe.refunds.list({ payment_intent: payment });
      at.fixture.processor.controls.finishRefund(data[0]?.id ?? "", "failed");
      await refreshOrder(service.ports, orderId);
      expect([await held(), await at.owedTo(shop)]).toEqual([300, 2_000_000n]);
    });

    test("a refund that the processor refuses leaves the builder what they have", async () => {
      const { shop, held, empty } = await openConnectedShop(at);
      const { orderId } = await orderCard(shop);
      await empty();
      const refund = await shop.builder.payments.money.createRefund({ orderId });
      expect(refund.status).toBe("refused");
      expect([await held(), await at.owedTo(shop)]).toEqual([0, 0n]);
    });

    test("a refund in the dashboard is owed by the builder until it is taken from their account", async () => {
      const { shop, service, held } = await openConnectedShop(at);
      const { orderId, payment } = await orderCard(shop);
      const { stripe } = at.fixture;
      await stripe.refunds.create({ payment_intent: payment, amount: 200 });
      await refreshOrder(service.ports, orderId);
      await lookAtOrders(service);
      expect([await held(), await at.owedTo(shop)]).toEqual([500, -2_000_000n]);
      await stripe.refunds.create({ payment_intent: payment, amount: 300, reverse_transfer: true });
      await refreshOrder(service.ports, orderId);
      expect([await held(), await at.owedTo(shop)]).toEqual([200, -2_000_000n]);
    });
  },
);
