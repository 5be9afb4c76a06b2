import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type CardFixture, startCardFixture } from "@/lib/adapters/cards/testing/card-fixture.ts";
import { type CardShop, openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import { applyRepairs } from "@/lib/domain/reconciliation/apply-repairs.ts";
import { planRepairs } from "@/lib/domain/reconciliation/repair.ts";
import { dying } from "@/lib/domain/testing/dying.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { createLedgerComparison } from "./ledger-comparison.ts";

const HOUR = 3_600;

let database: Database;
let fixture: CardFixture;
let service: TestService;
let shop: CardShop;

beforeEach(async () => {
  [database, fixture] = await Promise.all([openRuleStore(), startCardFixture()]);
  service = createTestService(database, { rails: [fixture.rail], cards: fixture.cards });
  shop = await openCardShop(service);
});
afterEach(async () => {
  expect(await brokenRules(database)).toEqual([]);
  await database.close();
  await fixture.close();
});

const advance = async (secs: number) => {
  fixture.processor.controls.advance(secs);
  await service.ports.clock.advance(secs);
};
const buy = (idempotencyKey?: string) =>
  shop.subscriber.payments.plans.orderPlan(shop.planId, {
    providerPaymentMethodId: shop.card,
    ...(idempotencyKey && { idempotencyKey }),
  });
const readInvoices = () =>
  database.query<{ id: string; number: number; at: Date }>(
    "select order_id as id, number, created_at as at from invoices order by number",
    [],
  );

/** An order, and later ones an hour apart that a restore forgets; their invoices. */
async function forget(later: number, keyOf: (n: number) => string | undefined = () => undefined) {
  const kept = await buy();
  for (let n = 0; n < later; n += 1) {
    await advance(HOUR);
    await buy(keyOf(n));
  }
  const before = await readInvoices();
  for (const rows of ["invoices", "clearings", "payables", "orders", "transfers"]) {
    await database.query(`alter table ${rows} disable trigger user`, []);
    const id = rows === "transfers" ? "ref" : "order_id";
    await database.query(`delete from ${rows} where ${id} <> $1`, [kept.orderId]);
    await database.query(`alter table ${rows} enable trigger user`, []);
  }
  await database.query(
    "update balances b set available = t.amount, seq = t.seq, hash = t.hash from transfers t where t.account = b.account",
    [],
  );
  return before;
}

/** What `npm run repair -- --apply` does. */
async function repair(ports = service.ports) {
  const { records, rail } = fixture;
  const { differences, findVersion, compareNow } = createLedgerComparison(database);
  const { scheme } = rail;
  await compareNow(service.ports, { records, scheme });
  const chain = { listOpen: async () => [], writePaid: async () => {}, close: async () => {} };
  const parts = { ports, records, scheme, differences, findVersion, chain };
  return applyRepairs(await planRepairs(parts), { isApplying: true });
}

async function expectSameInvoices(before: Awaited<ReturnType<typeof readInvoices>>) {
  const after = await readInvoices();
  expect(after.map(({ id, number }) => [id, number])).toEqual(
    before.map(({ id, number }) => [id, number]),
  );
  for (const [n, { at }] of after.entries()) {
    expect(Math.abs(at.getTime() - (before[n]?.at.getTime() ?? 0))).toBeLessThan(60_000);
  }
}

test("invoices that a restore forgot have their numbers and dates again once their orders are repaired, also after one failed", async () => {
  const before = await forget(5);
  await service.ports.clock.advance(24 * HOUR);
  vi.spyOn(fixture.rail, "lookUp").mockRejectedValueOnce(
    new Error("The processor did not answer."),
  );
  const tried = await repair();
  expect(tried.map(({ state }) => state)).toEqual(["failed", "later", "later", "later", "later"]);
  // A service that runs meanwhile reads the orders that it finds.
  await service.ports.clock.advance(HOUR);
  await resolveOrders(service.ports);
  const repaired = await repair();
  expect(repaired.map(({ state }) => state)).toEqual(Array(5).fill("applied"));
  await expectSameInvoices(before);
});

test.each(["before", "after"] as const)(
  "killed %s an order is written, a repair leaves its invoice to the next one, or has dated it by its payment",
  async (when) => {
    const before = await forget(2);
    await service.ports.clock.advance(24 * HOUR);
    await repair(dying(service.ports, { step: "orders.restore", when }));
    await service.ports.clock.advance(HOUR);
    await resolveOrders(service.ports);
    await repair();
    await expectSameInvoices(before);
  },
);

test("an order that can't be written is left to a person, and later ones of its seller are written", async () => {
  await forget(3, (n) => (n === 0 ? "placed-again-since" : undefined));
  await advance(HOUR);
  await buy("placed-again-since");
  const repaired = await repair();
  expect(repaired.map(({ state }) => state)).toEqual(["person", "applied", "applied"]);
  expect(repaired[0]?.proposal).toContain("same Idempotency-Key");
});
