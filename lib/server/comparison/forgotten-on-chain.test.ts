import { randomBytes } from "node:crypto";
import {
  buildPaymentRequired,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import type { Hex } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createFindPlanVersion } from "@/lib/adapters/db/chain/chain-orders.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createDifferences } from "@/lib/adapters/db/money/differences.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import { planRepairs } from "@/lib/domain/reconciliation/repair.ts";
import { dying } from "@/lib/domain/testing/dying.ts";
import { type ChainTestService, startChainTestService } from "../testing/chain-service.ts";
import { explainAll } from "../testing/explain-all.ts";
import { createMarket, type TestMarket } from "../testing/test-service.ts";

let database: Database;
let service: ChainTestService;

beforeAll(async () => {
  database = await openRuleStore();
  service = await startChainTestService(database);
});
afterEach(async () => {
  await explainAll(service.onChain.findings);
  await service.onChain.watch();
});
afterAll(async () => {
  await service.stop();
  expect(await brokenRules(database)).toEqual([]);
  await database.close();
});

/** Takes the ledger back to before an account's first order, as a restored copy would be. */
async function forget({ subscriber, planId }: TestMarket) {
  await database.query("alter table transfers disable trigger transfers_append_only", []);
  const of = "account = $1 and plan_id = $2";
  const orders = `(select order_id from orders where ${of})`;
  for (const rows of [
    `chain_burns where settlement_id in (select settlement_id from settlements where ${of})`,
    `outbox where ref in (select settlement_id from settlements where ${of})`,
    `settlements where ${of}`,
    `chain_orders where order_id in ${orders}`,
    `invoices where order_id in ${orders}`,
    `transfers where ${of}`,
    `checked_balances where ${of}`,
    `balances where ${of}`,
    `orders where ${of}`,
  ]) {
    await database.query(`delete from ${rows}`, [subscriber.address, planId]);
  }
  await database.query("update tokens set redeemed = 0 where account = $1", [subscriber.address]);
  await database.query("delete from chain_bundles", []);
  await database.query("update chain_cursors set block = 0", []);
  await database.query("alter table transfers enable trigger transfers_append_only", []);
}

const repairs = (ports = service.ports) => {
  const { onChain } = service;
  const records = {
    listSince: async () => ({ payments: [], transfers: [], until: null }),
    findPayment: async () => null,
    findTransfer: async () => null,
  };
  return planRepairs({
    ports,
    records,
    scheme: "svc:card-delegation",
    differences: createDifferences(database),
    findVersion: createFindPlanVersion(database.orm),
    chain: onChain.repairs,
  });
};

/** A plan of 100 credits for one USDC, ordered on chain. */
async function openMarket() {
  const receiver = await service.party({ isFunded: false });
  return createMarket(service, {
    price: getCryptoPriceConfig(1_000_000n, receiver.address, service.usdc),
    credits: getFixedCreditsConfig(100n, 1n),
  });
}

test.each([
  { step: "orders.restore", when: "before" },
  { step: "orders.restore", when: "after" },
] as const)(
  "killed $when $step, a repair of an order is finished by the next one",
  async (death) => {
    const market = await openMarket();
    const { subscriber, planId } = market;
    await forget(market);
    await service.onChain.watch();
    for (const { apply } of await repairs(dying(service.ports, death))) {
      await expect(apply?.()).rejects.toThrow("killed");
    }
    // Hours later nothing says that the order was not paid.
    await service.ports.clock.advance(7_300);
    await resolveOrders(service.ports);
    await service.onChain.watch();
    for (const { apply } of await repairs()) await apply?.();
    expect(
      await database.query("select status, price from orders where account = $1", [
        subscriber.address,
      ]),
    ).toEqual([{ status: "minted", price: 1_000_000n }]);
    expect(await subscriber.payments.plans.getPlanBalance(planId)).toMatchObject({ balance: 100n });
    const { items } = await subscriber.money.checkMoney({});
    expect(items.map(({ difference }) => difference)).toEqual(["0"]);
    await service.onChain.watch();
    expect(service.onChain.salesStop()).toBeNull();
  },
);

test("an order that the repair of an earlier release left unfinished is finished, with the date of its payment", async () => {
  const market = await openMarket();
  const { subscriber, planId } = market;
  await forget(market);
  await service.onChain.watch();
  const { ports } = service;
  // It wrote the order first, and the credits in another transaction.
  const unfinished: typeof ports.orders.restore = async (order, _payment, note) => {
    await ports.orders.reserve({ ...order, status: "requires_action", chargedAt: null }, note);
    throw new Error("killed");
  };
  const planned = await repairs({ ...ports, orders: { ...ports.orders, restore: unfinished } });
  await expect(planned[0]?.apply?.()).rejects.toThrow("killed");
  await ports.clock.advance(7_300);
  await resolveOrders(ports);
  for (const { apply } of await repairs()) expect(await apply?.()).toBeNull();
  expect(await subscriber.payments.plans.getPlanBalance(planId)).toMatchObject({ balance: 100n });
  const of = [subscriber.address];
  expect(
    await database.query(
      "select status, charged_at = created_at as dated from orders where account = $1",
      of,
    ),
  ).toEqual([{ status: "minted", dated: true }]);
  await service.onChain.watch();
  expect(service.onChain.salesStop()).toBeNull();
});

test("a forgotten order whose transaction is gone is left to a person, and others are still proposed", async () => {
  const [gone, kept] = [await openMarket(), await openMarket()];
  for (const market of [gone, kept]) await forget(market);
  await service.onChain.watch();
  await database.query("update chain_findings set transaction = $2 where account = $1", [
    gone.subscriber.address,
    `0x${"0".repeat(63)}1`,
  ]);
  const planned = await repairs();
  expect(planned.map(({ apply }) => apply !== undefined).sort()).toEqual([false, true]);
});

test("an order and a burn that the ledger forgot stop sales; the order is written again, the burn is left to a person", async () => {
  const market = await openMarket();
  const { builder, subscriber, planId, token } = market;
  await builder.payments.facilitator.settlePermissions({
    paymentRequired: buildPaymentRequired({
      planId,
      agentId: market.agentId,
      endpoint: market.endpoint,
      httpVerb: "POST",
    }),
    x402AccessToken: token,
    agentRequestId: "forgotten-burn-01",
  });
  await service.untilMirrored();
  const { transaction = "0x" } =
    (
      await database.query<{ transaction: Hex }>(
        "select reference as transaction from orders where account = $1",
        [subscriber.address],
      )
    )[0] ?? {};
  await forget(market);
  await service.onChain.watch();

  expect(service.onChain.salesStop()).toContain("2 events on chain");
  const planned = await repairs();
  expect(planned.map(({ kind, apply }) => [kind, apply !== undefined])).toEqual([
    ["forgotten_order", true],
    ["forgotten_burn", false],
  ]);
  for (const { apply } of [...planned, ...planned]) await apply?.();
  await service.onChain.watch();
  const orders = await database.query(
    "select status, reference, price from orders where account = $1",
    [subscriber.address],
  );
  expect(orders).toEqual([{ status: "minted", reference: transaction, price: 1_000_000n }]);
  const { client } = service.onChain.operator;
  const { blockNumber } = await client.getTransactionReceipt({ hash: transaction });
  const { timestamp } = await client.getBlock({ blockNumber });
  const invoices = await database.query("select created_at from invoices where buyer = $1", [
    subscriber.address,
  ]);
  expect(invoices).toEqual([{ created_at: new Date(Number(timestamp) * 1000) }]);
  const { balance } = await subscriber.payments.plans.getPlanBalance(planId);
  expect(balance).toBe(100n);
  // Its money counts as spent, in the balance and in the statement.
  const { items } = await subscriber.money.checkMoney({});
  expect(items.map(({ difference }) => difference)).toEqual(["0"]);

  // The chain has one credit less: a person says why, and both sides agree again.
  await explainAll(service.onChain.findings);
  await service.onChain.watch();
  expect(await service.onChain.reconciler.run()).toMatchObject({ difference: 0n });
  expect(service.onChain.salesStop()).toBeNull();
});

test("what an earlier settler's key sent and the ledger forgot still stops sales", async () => {
  const market = await openMarket();
  await forget(market);
  await service.restart(`0x${randomBytes(32).toString("hex")}`);
  await service.onChain.watch();
  const planned = await repairs();
  const forgotten = planned.filter(({ kind }) => kind === "forgotten_order");
  expect(forgotten.map(({ apply }) => apply !== undefined)).toEqual([true]);
  for (const { apply } of forgotten) await apply?.();
  await service.restart();
});
