import { getDynamicCreditsConfig } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService } from "@/lib/server/testing/test-service.ts";
import type { Ports } from "../ports.ts";
import { deathsAt, dying } from "../testing/dying.ts";
import { acceptRefundRequest, createRefund } from "./refunds.ts";
import { resolveRefunds } from "./send-refunds.ts";

const STEPS = ["refunds.open", "rails.refundPart", "refunds.note"] as const;

describe.each(ruleStores())("the crash table of a refund, $name", ({ open }) => {
  const at = useCardService(open);

  /** Two replicas take up what is open, at once. */
  async function recover(): Promise<void> {
    const replicas = [at.fixture.replica(), at.fixture.replica()].map(({ rail, cards }) =>
      createTestService(at.database, { rails: [rail], cards }),
    );
    for (let round = 0; round < 2; round++) {
      await at.service.ports.clock.advance(61);
      await Promise.all(replicas.map(({ ports }) => resolveRefunds(ports)));
    }
  }

  const deaths = deathsAt(STEPS).flatMap((death) =>
    [true, false].map((isRequest) => ({ ...death, isRequest })),
  );

  test.each(deaths)(
    "R4: killed $when $step, request: $isRequest",
    async ({ isRequest, ...death }) => {
      const shop = await openCardShop(at.service, {
        credits: getDynamicCreditsConfig(10n, 1n, 10n),
      });
      const { orderId, txHash } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
      const { context } = shop.builder;
      const asked = isRequest
        ? await shop.subscriber.payments.money.requestRefund({
            orderId,
            amount: 2_000_000n,
            reason: "Mistake",
          })
        : null;
      const refund = (ports: Ports) =>
        asked
          ? acceptRefundRequest({ ...context, ports }, { refundId: asked.refundId })
          : createRefund(
              { ...context, ports },
              { orderId, amount: 2_000_000n, idempotencyKey: `crash-${death.step}-${death.when}` },
            );
      await refund(dying(at.service.ports, death)).catch(() => null);
      await recover();
      // Killed before anything was written: the caller asks again with the same key.
      const { refundId } = await refund(at.service.ports);
      expect(await shop.builder.payments.money.getRefund(refundId)).toMatchObject({
        status: "paid",
        credits: "4",
      });
      const { data } = await at.fixture.stripe.refunds.list({ payment_intent: txHash ?? "" });
      expect(data.map(({ amount }) => amount)).toEqual([200]);
      expect(await shop.subscriber.payments.plans.getPlanBalance(shop.planId)).toMatchObject({
        balance: 6n,
      });
      expect(await at.service.ports.payouts.owed(shop.builder.address)).toMatchObject([
        { currency: "usd", amount: 3_000_000n },
      ]);
    },
  );
});
