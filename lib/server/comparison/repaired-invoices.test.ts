import { expect, test, vi } from "vitest";
import { startCardFixture } from "@/lib/adapters/cards/testing/card-fixture.ts";
import { openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import { applyRepairs } from "@/lib/domain/reconciliation/apply-repairs.ts";
import { planRepairs } from "@/lib/domain/reconciliation/repair.ts";
import { createTestService } from "../testing/test-service.ts";
import { createLedgerComparison } from "./ledger-comparison.ts";

test("invoices that a restore forgot have their numbers and dates again once their orders are repaired, also after one failed", async () => {
  const [database, fixture] = await Promise.all([openRuleStore(), startCardFixture()]);
  const { rail, cards, records } = fixture;
  const { differences, findVersion, compareNow } = createLedgerComparison(database);
  const { scheme } = rail;
  const service = createTestService(database, { rails: [rail], cards });
  const { ports } = service;
  const { subscriber, planId, card } = await openCardShop(service);
  const buy = () => subscriber.payments.plans.orderPlan(planId, { providerPaymentMethodId: card });
  const read = () =>
    database.query<{ id: string; number: number; at: Date }>(
      "select order_id as id, number, created_at as at from invoices order by number",
      [],
    );
  const kept = await buy();
  for (let n = 0; n < 5; n += 1) {
    fixture.processor.controls.advance(3_600);
    await ports.clock.advance(3_600);
    await buy();
  }
  const before = await read();

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
  await compareNow(ports, { records, scheme });
  const parts = { ports, records, scheme, differences, findVersion };
  const chain = { listOpen: async () => [], writePaid: async () => {}, close: async () => {} };
  await ports.clock.advance(86_400);
  vi.spyOn(rail, "lookUp").mockRejectedValueOnce(new Error("The processor did not answer."));
  const tried = await applyRepairs(await planRepairs({ ...parts, chain }), { isApplying: true });
  expect(tried.map(({ state }) => state)).toEqual(["failed", "later", "later", "later", "later"]);
  // A service that runs meanwhile reads the orders that it finds.
  await ports.clock.advance(3_600);
  await resolveOrders(ports);
  const repaired = await applyRepairs(await planRepairs({ ...parts, chain }), { isApplying: true });
  expect(repaired.map(({ state }) => state)).toEqual(Array(5).fill("applied"));

  const after = await read();
  expect(after.map(({ id, number }) => [id, number])).toEqual(
    before.map(({ id, number }) => [id, number]),
  );
  for (const [n, { at }] of after.entries()) {
    expect(Math.abs(at.getTime() - (before[n]?.at.getTime() ?? 0))).toBeLessThan(60_000);
  }
  expect(await brokenRules(database)).toEqual([]);
  await database.close();
  await fixture.close();
});
