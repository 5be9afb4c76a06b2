import { getDynamicCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CardFixture, startCardFixture } from "@/lib/adapters/cards/testing/card-fixture.ts";
import { openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import type { Ports } from "../ports.ts";
import { createRails } from "../rails/rails.ts";
import { acceptRefundRequest, createRefund } from "./refunds.ts";
import { resolveRefunds } from "./send-refunds.ts";

const STEPS = ["open", "refundPart", "note"] as const;
type Step = (typeof STEPS)[number];
type Death = { step: Step; when: "before" | "after" };

/** The service's ports in a process that is killed at a step: from then on it does nothing more. */
function dying(ports: Ports, death: Death): Ports {
  let isDead = false;
  const guard =
    <A extends unknown[], R>(step: Step, work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const isHere = step === death.step;
      if (isHere && death.when === "before") isDead = true;
      if (isDead) throw new Error("killed");
      const result = await work(...args);
      if (isHere) isDead = true;
      if (isDead) throw new Error("killed");
      return result;
    };
  const { refunds } = ports;
  return {
    ...ports,
    refunds: {
      ...refunds,
      open: guard("open", refunds.open),
      note: guard("note", refunds.note),
    },
    rails: createRails(
      ports.rails.all.map((rail) => ({
        ...rail,
        ...(rail.refundPart && { refundPart: guard("refundPart", rail.refundPart) }),
      })),
      ports.schemeAliases,
    ),
  };
}

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

  const deaths = STEPS.flatMap((step) =>
    (["before", "after"] as const).flatMap((when) =>
      ([true, false] as const).map((isRequest) => ({ step, when, isRequest })),
    ),
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
