import { describe, expect, test } from "vitest";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { refreshOrder, resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { type CardShop, openCardShop } from "../testing/card-shop.ts";
import { useCardService } from "../testing/use-card-service.ts";

const PRICE = 5_000_000n;

describe.each(ruleStores())(
  "sales that go on to a builder with their charge, $name",
  ({ open }) => {
    const at = useCardService(open);

    /** A shop whose builder's account is paid with each charge. */
    async function openConnectedShop() {
      const { stripe, processor, replica } = at.fixture;
      const connectedAccounts = new Map<string, string>();
      const { rail, cards } = replica({ connectedAccounts });
      const errors: string[] = [];
      const log = {
        info: () => {},
        warn: () => {},
        error: (_: object, text: string) => void errors.push(text),
      };
      const service = createTestService(at.database, { rails: [rail], cards, log });
      const shop = await openCardShop(service);
      const { id: account } = await stripe.accounts.create({
        type: "express",
        capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
      });
      processor.controls.onboard(account);
      connectedAccounts.set(shop.builder.address.toLowerCase(), account);
      const held = async () => {
        const { available } = await stripe.balance.retrieve({}, { stripeAccount: account });
        return available.find(({ currency }) => currency === "usd")?.amount ?? 0;
      };
      return { shop, service, account, held, errors };
    }

    const order = async ({ subscriber, planId }: CardShop) => {
      const { orderId, txHash } = await subscriber.payments.plans.orderPlan(planId);
      return { orderId, payment: txHash ?? "" };
    };
    const work = async (service: TestService) => {
      await service.ports.clock.advance(301);
      await resolveOrders(service.ports);
    };

    test("a chargeback is taken back from the builder's account, once, and owed to them again when it is won", async () => {
      const { shop, service, held } = await openConnectedShop();
      const { orderId, payment } = await order(shop);
      expect([await held(), await at.owedTo(shop)]).toEqual([500, 0n]);
      const { controls } = at.fixture.processor;
      const dispute = controls.openDispute(payment, "fraudulent", 300);
      await Promise.all([
        refreshOrder(service.ports, orderId),
        refreshOrder(service.ports, orderId),
      ]);
      expect([await held(), await at.owedTo(shop)]).toEqual([200, 0n]);
      controls.advance(86_401);
      await work(service);
      await refreshOrder(service.ports, orderId);
      expect(await held()).toBe(200);
      controls.endDispute(dispute, "won");
      await refreshOrder(service.ports, orderId);
      expect([await held(), await at.owedTo(shop)]).toEqual([200, 3_000_000n]);
    });

    test("a chargeback of what the account has no more is tried again, and operators are told of it", async () => {
      const { shop, service, account, held, errors } = await openConnectedShop();
      const { orderId, payment } = await order(shop);
      const { stripe, processor } = at.fixture;
      const bank = { stripeAccount: account };
      const gone = await stripe.payouts.create({ amount: 500, currency: "usd" }, bank);
      processor.controls.openDispute(payment);
      await refreshOrder(service.ports, orderId);
      expect([await held(), await at.owedTo(shop)]).toEqual([0, -PRICE]);
      for (let look = 0; look < 8; look += 1) await work(service);
      expect(errors).toEqual([
        expect.stringContaining("not taken back from the builder's account"),
      ]);
      processor.controls.finishPayout(gone.id, "could_not_process");
      await work(service);
      expect([await held(), await at.owedTo(shop)]).toEqual([0, 0n]);
      expect(errors).toHaveLength(1);
    });

    test("a reversal whose answer was lost is made once, and one made by hand counts", async () => {
      const { shop, service, held } = await openConnectedShop();
      const { stripe, processor } = at.fixture;
      const [first, second] = [await order(shop), await order(shop)];
      const { data } = await stripe.transfers.list({ limit: 2 });
      const path = `/v1/transfers/${data[1]?.id}/reversals`;
      processor.faults.add({ kind: "lose-reply", path, times: 2 });
      await stripe.transfers.createReversal(data[0]?.id ?? "");
      for (const { orderId, payment } of [first, second]) {
        processor.controls.openDispute(payment);
        await refreshOrder(service.ports, orderId);
      }
      await work(service);
      await work(service);
      expect([await held(), await at.owedTo(shop)]).toEqual([0, 0n]);
    });

    test("a refund that its bank sends back is owed to the builder, whose account paid for it", async () => {
      const { shop, service, held } = await openConnectedShop();
      const { orderId, payment } = await order(shop);
      await shop.builder.payments.money.createRefund({ orderId, amount: 2_000_000n });
      expect([await held(), await at.owedTo(shop)]).toEqual([300, 0n]);
      const { data } = await at.fixture.stripe.refunds.list({ payment_intent: payment });
      at.fixture.processor.controls.finishRefund(data[0]?.id ?? "", "failed");
      await refreshOrder(service.ports, orderId);
      expect([await held(), await at.owedTo(shop)]).toEqual([300, 2_000_000n]);
    });

    test("a refund that the processor refuses leaves the builder what they have", async () => {
      const { shop, account, held } = await openConnectedShop();
      const { orderId } = await order(shop);
      const bank = { stripeAccount: account };
      await at.fixture.stripe.payouts.create({ amount: 500, currency: "usd" }, bank);
      const refund = await shop.builder.payments.money.createRefund({ orderId });
      expect(refund.status).toBe("refused");
      expect([await held(), await at.owedTo(shop)]).toEqual([0, 0n]);
    });

    test("a refund in the dashboard is owed by the builder until it is taken from their account", async () => {
      const { shop, service, held } = await openConnectedShop();
      const { orderId, payment } = await order(shop);
      const { stripe } = at.fixture;
      await stripe.refunds.create({ payment_intent: payment, amount: 200 });
      await refreshOrder(service.ports, orderId);
      await work(service);
      expect([await held(), await at.owedTo(shop)]).toEqual([500, -2_000_000n]);
      await stripe.refunds.create({ payment_intent: payment, amount: 300, reverse_transfer: true });
      await refreshOrder(service.ports, orderId);
      expect([await held(), await at.owedTo(shop)]).toEqual([200, -2_000_000n]);
    });
  },
);
