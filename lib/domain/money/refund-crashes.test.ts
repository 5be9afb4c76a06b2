import { getDynamicCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CardFixture, startCardFixture } from "@/lib/adapters/cards/testing/card-fixture.ts";
import { openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import type { Ports } from "../ports.ts";
import { deathsAt, dying } from "../testing/dying.ts";
import { acceptRefundRequest, createRefund } from "./refunds.ts";
import { resolveRefunds } from "./send-refunds.ts";

const STEPS = ["refunds.open", "rails.refundPart", "refunds.note"] as const;

describe.each(ruleStores())("the crash table of a refund, $name", ({ open }) => {
  let database: Database;
  let fixture: CardFixture;
  let service: TestService;

  beforeAll(async () => {
    [database, fixture] = await Promise.all([open(), startCardFixture()]);
    service = createTestService(database, { rails: [fixture.rail], cards: fixture.cards });
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
    await fixture.close();
  });

  /** Two replicas take up what is open, at once. */
  async function recover(): Promise<void> {
    for (let round = 0; round < 2; round++) {
      await service.ports.clock.advance(61);
      const replicas = [fixture.replica(), fixture.replica()].map(({ rail, cards }) =>
        createTestService(database, { rails: [rail], cards }),
      );
      await Promise.all(replicas.map(({ ports }) => resolveRefunds(ports)));
    }
  }

  const deaths = deathsAt(STEPS).flatMap((death) =>
    [true, false].map((isRequest) => ({ ...death, isRequest })),
  );

  test.each(deaths)(
    "R4: killed $when $step, request: $isRequest",
    async ({ isRequest, ...death }) => {
      const shop = await openCardShop(service, { credits: getDynamicCreditsConfig(10n, 1n, 10n) });
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
      await refund(dying(service.ports, death)).catch(() => null);
      await recover();
      // Killed before anything was written: the caller asks again with the same key.
      const { refundId } = await refund(service.ports);
      expect(await shop.builder.payments.money.getRefund(refundId)).toMatchObject({
        status: "paid",
        credits: "4",
      });
      const { data } = await fixture.stripe.refunds.list({ payment_intent: txHash ?? "" });
      expect(data.map(({ amount }) => amount)).toEqual([200]);
      expect(await shop.subscriber.payments.plans.getPlanBalance(shop.planId)).toMatchObject({
        balance: 6n,
      });
      expect(await service.ports.payouts.owed(shop.builder.address)).toEqual([
        { currency: "usd", amount: 3_000_000n },
      ]);
    },
  );
});
