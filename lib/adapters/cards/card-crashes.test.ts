import { randomBytes } from "node:crypto";
import { getFiatPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { orderPlan } from "@/lib/domain/orders/orders.ts";
import { resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { deathsAt, dying } from "@/lib/domain/testing/dying.ts";
import type { Fault } from "@/lib/sandbox/card-processor/faults.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { type CardFixture, startCardFixture } from "./testing/card-fixture.ts";

const STEPS = [
  "orders.reserve",
  "orders.markCharging",
  "rails.charge",
  "orders.mint",
  "orders.decline",
] as const;

const PAYMENTS = "/v1/payment_intents";
const FAULTS: Record<string, Fault> = {
  "request lost": { kind: "lose-request", path: PAYMENTS, times: 2 },
  "reply lost": { kind: "lose-reply", path: PAYMENTS, times: 2 },
  "reply late": { kind: "delay", path: PAYMENTS, ms: 1_500 },
  "500 before the effect": { kind: "error-before", path: PAYMENTS },
  "500 after the effect": { kind: "error-after", path: PAYMENTS },
};

describe.each(ruleStores())("the crash table of a card order, $name", ({ open }) => {
  let database: Database;
  let fixture: CardFixture;
  let service: TestService;
  let builder: TestParty;
  let planId: string;
  const table: Record<string, string | number>[] = [];

  beforeAll(async () => {
    [database, fixture] = await Promise.all([open(), startCardFixture()]);
    service = createTestService(database, { rails: [fixture.rail], cards: fixture.cards });
    builder = await service.party();
    ({ planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Starter by card" },
      getFiatPriceConfig(5_000_000n, builder.address, "USD"),
      getFixedCreditsConfig(100n, 1n),
    ));
  });
  afterAll(async () => {
    console.table(table);
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
    await fixture.close();
  });

  /** A subscriber with a card and a delegation, so that what was set aside can be seen. */
  async function buyer(decline: boolean) {
    const subscriber = await service.party();
    const { paymentMethodId } = await fixture.cards.saveCard(subscriber.address, "pm_card_visa");
    if (decline) fixture.processor.controls.declineCard(paymentMethodId ?? "", "InsufficientFunds");
    const { delegationId } = await subscriber.payments.delegation.createDelegation({
      provider: "card-processor",
      spendingLimitCents: 1000n,
      durationSecs: 86_400,
      currency: "usd",
      maxTransactions: 2,
    });
    return { subscriber, delegationId };
  }

  const order = (
    ports: Ports,
    { subscriber, delegationId }: Awaited<ReturnType<typeof buyer>>,
    idempotencyKey: string,
  ) =>
    orderPlan({ ...subscriber.context, ports }, { planId, delegationId, idempotencyKey }).then(
      ({ status }) => status,
      (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)),
    );

  /** Two replicas take up what is open, at once, as often as it takes. */
  async function recover(): Promise<void> {
    const replicas = [fixture.replica(), fixture.replica()].map(({ rail, cards }) =>
      createTestService(database, { rails: [rail], cards }),
    );
    for (let round = 0; round < 3; round++) {
      await service.ports.clock.advance(60);
      await Promise.all(replicas.map(({ ports }) => resolveOrders(ports)));
    }
  }

  async function outcomeOf({ subscriber, delegationId }: Awaited<ReturnType<typeof buyer>>) {
    const customer = await fixture.customers.ensure(subscriber.address);
    const charges = fixture.processor.controls
      .payments()
      .filter((payment) => payment.customer === customer && payment.status === "succeeded");
    const { balance } = await subscriber.payments.plans.getPlanBalance(planId);
    const delegation = await subscriber.payments.delegation.getDelegation(delegationId);
    const rows = await database.query<{ status: string }>(
      "select status from orders where account = $1",
      [subscriber.address],
    );
    return {
      orders: rows.map(({ status }) => status).join(" "),
      charges: charges.length,
      credits: Number(balance),
      spentCents: Number(delegation.amountSpentCents),
      reservedCents: Number(delegation.amountReservedCents),
      transactions: delegation.transactionCount,
    };
  }

  const PAID = {
    orders: "minted",
    charges: 1,
    credits: 100,
    spentCents: 500,
    reservedCents: 0,
    transactions: 1,
  };
  const DECLINED = {
    orders: "declined",
    charges: 0,
    credits: 0,
    spentCents: 0,
    reservedCents: 0,
    transactions: 0,
  };

  test.each(deathsAt(STEPS))("R4, T51: killed $when $step", async (death) => {
    const key = `crash-${randomBytes(8).toString("hex")}`;
    const who = await buyer(death.step === "orders.decline");
    expect(await order(dying(service.ports, death), who, key)).toMatch(/killed|charging/);
    await recover();
    // Killed before anything was written: the caller asks again with the same key.
    const again = await order(service.ports, who, key);
    const outcome = await outcomeOf(who);
    table.push({ crash: `killed ${death.when} ${death.step}`, again, ...outcome });
    expect(outcome).toEqual(death.step === "orders.decline" ? DECLINED : PAID);
  });

  test.each(Object.keys(FAULTS))("%s", async (name) => {
    const key = `crash-${randomBytes(8).toString("hex")}`;
    const who = await buyer(false);
    fixture.processor.faults.add(FAULTS[name] as Fault);
    const hurried = fixture.replica({ timeoutMs: 1_000 });
    const { ports } =
      name === "reply late"
        ? createTestService(database, { rails: [hurried.rail], cards: hurried.cards })
        : service;
    const first = order(ports, who, key);
    if (name === "reply late") {
      // Workers retry while the first request is still running.
      await expect.poll(() => fixture.processor.faults.hits().delay, { interval: 5 }).toBe(1);
      await recover();
    }
    expect(await first).toBe("charging");
    if (name === "reply late") {
      await expect.poll(async () => (await outcomeOf(who)).charges, { timeout: 10_000 }).toBe(1);
    }
    await recover();
    const again = await order(service.ports, who, key);
    const outcome = await outcomeOf(who);
    table.push({ crash: name, again, ...outcome });
    expect(outcome).toEqual(PAID);
    fixture.processor.faults.clear();
  });
});
