import { describe, expect, test } from "vitest";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { refreshPayout } from "@/lib/domain/money/resolve-payouts.ts";
import { sendRefund } from "@/lib/domain/money/send-refunds.ts";
import { refreshOrder } from "@/lib/domain/orders/resolve-orders.ts";
import { createTestService } from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { openCardShop } from "./testing/card-shop.ts";
import { useCardService } from "./testing/use-card-service.ts";

describe.each(ruleStores())(
  "what broke at the processor, which repeats its 500, $name",
  ({ open }) => {
    const at = useCardService(open);
    const breaks = (path: string, kind: "error-kept" | "error-after" = "error-kept") =>
      at.fixture.processor.faults.add({ kind, path });

    /** A replica whose clock can be moved on. */
    function openReplica() {
      let ahead = 0;
      const cards = at.fixture.replica({ now: () => new Date(Date.now() + ahead) });
      const moneyOut = { payoutProcessor: cards.payouts };
      const service = createTestService(at.database, {
        rails: [cards.rail],
        cards: cards.cards,
        moneyOut,
      });
      return {
        service,
        pass: (ms: number) => {
          ahead += ms;
        },
      };
    }

    test("a card is saved, and a payout account opened, by the next try", async () => {
      const { service } = openReplica();
      const [buyer, builder] = [await service.party(), await service.party()];
      const save = () =>
        buyer.payments.paymentMethods.addPaymentMethod({ testCard: "pm_card_visa" });
      breaks("/v1/customers");
      await expect(save()).rejects.toMatchObject({ code: "unavailable" });
      expect(await save()).toMatchObject({ status: "succeeded" });
      breaks("/v1/accounts");
      const open = () => service.call(builder, "POST", "/payout-accounts", {});
      expect([(await open()).status, (await open()).status]).toEqual([503, 200]);
    });

    test.each([
      ["nothing", "error-kept"],
      ["its effect", "error-after"],
    ] as const)(
      "evidence that left %s behind reaches the bank once, by the next try",
      async (_, kind) => {
        const { service } = openReplica();
        const shop = await openCardShop(service);
        const { orderId, txHash } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
        const disputeId = at.fixture.processor.controls.openDispute(txHash ?? "");
        await refreshOrder(service.ports, orderId);
        const submit = () => shop.builder.payments.money.submitEvidence({ disputeId });
        breaks("/v1/disputes/", kind);
        // The client repeats it.
        expect(await submit()).toMatchObject({ submittedAt: expect.any(String) });
        const { evidence_details: sent } = await at.fixture.stripe.disputes.retrieve(disputeId);
        expect(sent.submission_count).toBe(1);
      },
    );

    test.each([
      ["nothing", "error-kept"],
      ["its effect", "error-after"],
    ] as const)(
      "a refund that left %s behind is made once, when lists show what was made",
      async (_, kind) => {
        const { service, pass } = openReplica();
        const shop = await openCardShop(service);
        const { orderId, txHash } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
        breaks("/v1/refunds", kind);
        const { refundId } = await shop.builder.payments.money.createRefund({
          orderId,
          amount: 1_000_000n,
        });
        const look = async () => {
          const refund = await service.ports.refunds.find(refundId);
          if (refund) await sendRefund(service.ports, refund);
          return (await service.ports.refunds.find(refundId))?.state;
        };
        expect(await look()).toBe(kind === "error-kept" ? "open" : "paid");
        pass(61_000);
        expect(await look()).toBe("paid");
        const { data } = await at.fixture.stripe.refunds.list({ payment_intent: txHash ?? "" });
        expect(data).toHaveLength(1);
      },
    );

    longTest("a payout that broke at each step is made once", async () => {
      for (const path of ["/v1/transfers", "/v1/payouts"]) {
        const { service, pass } = openReplica();
        const { builder, subscriber, planId } = await openCardShop(service);
        await subscriber.payments.plans.orderPlan(planId);
        const { money } = builder.payments;
        await money.createPayoutAccount({});
        const setup = await service.ports.payouts.findAccount(builder.address);
        at.fixture.processor.controls.onboard(setup?.processorAccount ?? "");
        breaks(path);
        const { payoutId, status } = await money.createPayout({ currency: "usd" });
        expect(status).toBe("open");
        await refreshPayout(service.ports, payoutId);
        expect((await service.ports.payouts.findPayout(payoutId))?.state).toBe("open");
        pass(61_000);
        await refreshPayout(service.ports, payoutId);
        expect((await service.ports.payouts.findPayout(payoutId))?.state).toBe("sent");
        const { data } = await at.fixture.stripe.transfers.list({ transfer_group: payoutId });
        expect(data).toHaveLength(1);
      }
    });
  },
);
