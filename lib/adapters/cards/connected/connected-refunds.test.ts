import { describe, expect, test } from "vitest";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { resolvePayouts } from "@/lib/domain/money/resolve-payouts.ts";
import { resolveRefunds } from "@/lib/domain/money/send-refunds.ts";
import { refreshOrder } from "@/lib/domain/orders/resolve-orders.ts";
import { openCardShop } from "../testing/card-shop.ts";
import {
  lookAtOrders,
  openConnectedShop,
  openWonSale,
  orderCard,
} from "../testing/connected-shop.ts";
import { useCardService } from "../testing/use-card-service.ts";
import { takeRefundShare } from "./refund-share.ts";

describe.each(ruleStores())(
  "refunds of sales that go on to a builder with their charge, $name",
  ({ open }) => {
    const at = useCardService(open);

    test.each(["refund", "chargeback"])(
      "a %s after a refund that the earlier release wrote and the processor refused counts once",
      async (kind) => {
        const { shop, service, held, empty } = await openConnectedShop(at);
        const { orderId, payment } = await orderCard(shop);
        const refill = await empty();
        const refundOf = (amount: bigint) =>
          shop.builder.payments.money.createRefund({ orderId, amount });
        const refused = await refundOf(2_000_000n);
        expect(refused.status).toBe("refused");
        // It wrote what would come back before the refund was made, and evened that out.
        for (const written of ["returned", "paid-out"]) {
          await at.database.query("select write_payables($1, $2, $3, 2000000)", [
            orderId,
            written,
            refused.refundId,
          ]);
        }
        refill();
        if (kind === "refund") expect(await refundOf(2_000_000n)).toMatchObject({ status: "paid" });
        else at.fixture.processor.controls.openDispute(payment, "fraudulent", 200);
        await refreshOrder(service.ports, orderId);
        await lookAtOrders(service);
        expect([await held(), await at.owedTo(shop)]).toEqual([300, 0n]);
      },
    );

    test("a sale whose chargeback was won is refunded whole, from what the account has left and what is owed", async () => {
      const { shop, held, orderId } = await openWonSale(at);
      expect([await held(), await at.owedTo(shop)]).toEqual([200, 3_000_000n]);
      const { createRefund } = shop.builder.payments.money;
      expect(await createRefund({ orderId, amount: 1_000_000n })).toMatchObject({ status: "paid" });
      expect([await held(), await at.owedTo(shop)]).toEqual([100, 3_000_000n]);
      expect(await createRefund({ orderId })).toMatchObject({ status: "paid" });
      expect([await held(), await at.owedTo(shop)]).toEqual([0, 0n]);
    });

    test.each([true, false])(
      "a refund in the dashboard counts also where it is read after a dispute has opened, with a transfer: %s",
      async (isSentOn) => {
        const connected = await openConnectedShop(at);
        const { service } = connected;
        const shop = isSentOn ? connected.shop : await openCardShop(service);
        const held = async () => (isSentOn ? connected.held() : 0);
        const { orderId, payment } = await orderCard(shop);
        const { stripe, processor } = at.fixture;
        const refund = { payment_intent: payment, amount: 300 };
        await stripe.refunds.create({ ...refund, ...(isSentOn && { reverse_transfer: true }) });
        const dispute = processor.controls.openDispute(payment, "fraudulent", 200);
        await Promise.all([
          refreshOrder(service.ports, orderId),
          refreshOrder(service.ports, orderId),
        ]);
        expect([await held(), await at.owedTo(shop)]).toEqual([0, 0n]);
        expect((await shop.builder.payments.money.listRefunds({})).items).toHaveLength(1);
        processor.controls.endDispute(dispute, "won");
        await refreshOrder(service.ports, orderId);
        expect([await held(), await at.owedTo(shop)]).toEqual([0, 2_000_000n]);
      },
    );

    test("a refund takes what a reversal by hand left in the account, once, whichever answer is lost", async () => {
      const { shop, service, held } = await openConnectedShop(at);
      const { stripe, processor } = at.fixture;
      for (const path of ["reversals", "/v1/refunds"]) {
        const { orderId } = await orderCard(shop);
        const { data } = await stripe.transfers.list({ limit: 1 });
        const reversals = `/v1/transfers/${data[0]?.id}/reversals`;
        await stripe.transfers.createReversal(data[0]?.id ?? "", { amount: 300 });
        const lost = path === "reversals" ? reversals : path;
        processor.faults.add({ kind: "lose-reply", path: lost, times: 2 });
        const { money } = shop.builder.payments;
        const refund = await money.createRefund({ orderId, amount: 4_000_000n });
        await service.ports.clock.advance(301);
        await Promise.all([resolveRefunds(service.ports), resolveRefunds(service.ports)]);
        await lookAtOrders(service);
        expect(await money.getRefund(refund.refundId)).toMatchObject({ status: "paid" });
      }
      // Of each sale 1.00 is theirs, which the reversal by hand brought to the platform.
      expect([await held(), await at.owedTo(shop)]).toEqual([0, 2_000_000n]);
    });

    test("a refund of which a part cannot be taken from the account is refused", async () => {
      const { shop, service, held, empty } = await openConnectedShop(at);
      const { orderId } = await orderCard(shop);
      const { stripe } = at.fixture;
      const { data } = await stripe.transfers.list({ limit: 1 });
      await stripe.transfers.createReversal(data[0]?.id ?? "", { amount: 300 });
      await empty(200);
      const refund = await shop.builder.payments.money.createRefund({ orderId });
      expect(refund).toMatchObject({ status: "refused" });
      await lookAtOrders(service);
      expect([await held(), await at.owedTo(shop)]).toEqual([0, 3_000_000n]);
    });

    test("nothing is reversed while an earlier try of the refund may be missing from the processor's list", async () => {
      const { shop, held } = await openConnectedShop(at);
      const { payment } = await orderCard(shop);
      const { stripe } = at.fixture;
      const refund = { payment_intent: payment, amount: 300, reverse_transfer: true };
      await stripe.refunds.create(refund);
      const intent = await stripe.paymentIntents.retrieve(payment, { expand: ["latest_charge"] });
      const refunds = { list: async () => ({ data: [] }) } as never;
      const again = { intent, amount: 300, metadata: {}, idempotencyKey: "rf_again" };
      await expect(
        takeRefundShare({ transfers: stripe.transfers, refunds }, again),
      ).rejects.toThrow("not listed yet");
      expect(await held()).toBe(200);
    });

    test("a sale whose won chargeback was paid out is refunded as far as the account covers it", async () => {
      const { shop, service, held, orderId } = await openWonSale(at);
      const { controls } = at.fixture.processor;
      await lookAtOrders(service);
      const { money } = shop.builder.payments;
      await money.createPayoutAccount({});
      const bank = await service.ports.payouts.findAccount(shop.builder.address);
      controls.onboard(bank?.processorAccount ?? "");
      await money.createPayoutAccount({});
      await money.createPayout({ currency: "usd" });
      await resolvePayouts(service.ports);
      expect([await held(), await at.owedTo(shop)]).toEqual([200, 0n]);
      await expect(money.createRefund({ orderId })).rejects.toThrow("Between 1 and 2000000");
      expect(await money.createRefund({ orderId, amount: 2_000_000n })).toMatchObject({
        status: "paid",
      });
      await expect(money.createRefund({ orderId })).rejects.toThrow("was paid out to you");
      expect([await held(), await at.owedTo(shop)]).toEqual([0, 0n]);
    });
  },
);
