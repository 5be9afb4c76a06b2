import { getErc20PriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import type { Database } from "../client.ts";
import { ruleStores } from "../testing/stores.ts";
import { createDeposits } from "./deposits.ts";
import { createMoneyBook } from "./money-book.ts";
import { createInvoices, createStatements } from "./statements.ts";

type Paid = { to: TestParty; amount: bigint };

/** Orders of one transaction: a wallet's payments by `exact` are captured in batches. */
describe.each(ruleStores())("transfers and the orders they paid, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let token: string;
  let hashes = 0;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    token = [...service.ports.stableTokens.keys()][0] ?? "";
  });
  afterAll(() => database.close());

  async function sell(builder: TestParty, ...shares: Paid[]): Promise<string> {
    const price = {
      ...getErc20PriceConfig(1n, token, builder.address),
      amounts: shares.map(({ amount }) => amount),
      receivers: shares.map(({ to }) => to.address),
    };
    const credits = getFixedCreditsConfig(10n);
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "P" },
      price,
      credits,
    );
    return planId;
  }

  /** One transaction that pays all orders of the buyer, with these transfers. */
  async function captured(buyer: TestParty, transfers: Paid[]) {
    hashes += 1;
    const txHash = `0x${hashes.toString(16).padStart(64, "0")}`;
    await database.query("update orders set reference = $2 where account = $1", [
      buyer.address,
      txHash,
    ]);
    const createdAt = await service.ports.clock.now();
    await createDeposits(database).replace(
      { reader: txHash, accounts: [], token, from: 1n, to: 1n, first: 1n },
      transfers.map(({ to, amount }, logIndex) => ({
        ...{ txHash, logIndex, token, amount, createdAt, block: 1n },
        account: to.address,
        sender: buyer.address,
      })),
    );
    return { txHash, createdAt };
  }

  const movementsOf = async ({ address }: TestParty) =>
    (await createMoneyBook(database).listMovements(address, token, { limit: 100 })).items;
  const entriesOf = ({ address }: TestParty, at: Date) =>
    createStatements(database).listEntries(
      { account: address, token, from: new Date(0), to: new Date(at.getTime() + 60_000) },
      { section: "balance", units: ["usdc"] },
      { after: undefined, limit: 1_000 },
    );

  test("each transfer of a batch is one order's, and one more transfer is none's", async () => {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const [cheap, costly] = [
      await sell(builder, { to: builder, amount: 2_000n }),
      await sell(builder, { to: builder, amount: 9_000n }),
    ];
    const order = async (planId: string) => (await buyer.payments.plans.orderPlan(planId)).orderId;
    const cheapOrders = [await order(cheap), await order(cheap)];
    const costlyOrder = await order(costly);
    const { txHash, createdAt } = await captured(
      buyer,
      [9_000n, 2_000n, 2_000n, 2_000n].map((amount) => ({ to: builder, amount })),
    );

    const movements = await movementsOf(builder);
    const ordersOf = (rows: { orderId: string | null; amount: bigint }[], amount: bigint) =>
      rows.filter((row) => row.amount === amount).map(({ orderId }) => orderId);
    expect(ordersOf(movements, 9_000n)).toEqual([costlyOrder]);
    expect(new Set(ordersOf(movements, 2_000n))).toEqual(new Set([...cheapOrders, null]));
    expect(movements.map(({ kind }) => kind).sort()).toEqual(["deposit", "sale", "sale", "sale"]);

    const entries = await entriesOf(builder, createdAt);
    expect(ordersOf(entries, 9_000n)).toEqual([costlyOrder]);
    expect(new Set(ordersOf(entries, 2_000n))).toEqual(new Set([...cheapOrders, null]));
    const numbers = entries.flatMap(({ invoiceNumber }) => invoiceNumber ?? []);
    expect(numbers.sort()).toEqual([1, 2, 3]);
    const invoices = createInvoices(database);
    expect(await invoices.find(builder.address, costlyOrder)).toMatchObject({
      orderId: costlyOrder,
    });
    expect(await invoices.find(buyer.address, txHash)).toMatchObject({ number: 1 });
    expect(await invoices.find((await service.party()).address, txHash)).toBeNull();
  });

  test("each share of an order's price is that order's", async () => {
    const [builder, partner, buyer] = await Promise.all([
      service.party(),
      service.party(),
      service.party(),
    ]);
    const shares = [
      { to: builder, amount: 7_000n },
      { to: partner, amount: 3_000n },
      { to: builder, amount: 7_000n },
    ];
    const planId = await sell(builder, ...shares);
    const { orderId } = await buyer.payments.plans.orderPlan(planId);
    await captured(buyer, shares);
    expect((await movementsOf(builder)).map((one) => one.orderId)).toEqual([orderId, orderId]);
    expect((await movementsOf(partner)).map((one) => one.orderId)).toEqual([orderId]);
    const now = await service.ports.clock.now();
    const numbersOf = async (party: TestParty) =>
      (await entriesOf(party, now)).map(({ invoiceNumber }) => invoiceNumber);
    expect(await numbersOf(builder)).toEqual([1, 1]);
    expect(await numbersOf(partner)).toEqual([null]);
  });

  test("the event of a sale's transfer names its order, and that of another transfer none", async () => {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const planId = await sell(builder, { to: builder, amount: 2_000n });
    const { orderId } = await buyer.payments.plans.orderPlan(planId);
    const sale = { to: builder, amount: 2_000n };
    await captured(buyer, [sale, sale]);
    const told = await database.query<{ order: string | null }>(
      "select data->>'orderId' as order from event_queue where type = 'deposit.received' and $1 = any(accounts) order by id",
      [builder.address],
    );
    expect(told.map(({ order }) => order)).toEqual([orderId, null]);
  });

  test("a sale has the date of its invoice, whenever its block was", async () => {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const planId = await sell(builder, { to: builder, amount: 2_000n });
    const { orderId } = await buyer.payments.plans.orderPlan(planId);
    const { txHash } = await captured(buyer, [{ to: builder, amount: 2_000n }]);
    await database.query(
      "update deposits set created_at = created_at - interval '40 days' where tx_hash = $1",
      [txHash],
    );
    const { issuedAt } = (await createInvoices(database).find(builder.address, orderId)) ?? {};
    const [entry] = await entriesOf(builder, issuedAt ?? new Date(0));
    const [movement] = await movementsOf(builder);
    expect([entry?.at, movement?.createdAt]).toEqual([issuedAt, issuedAt]);
  });

  test("a sale that was booked long after its block is in the month of its invoice, and in no other", async () => {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const planId = await sell(builder, { to: builder, amount: 2_000n });
    const { orderId } = await buyer.payments.plans.orderPlan(planId);
    const { txHash, createdAt } = await captured(buyer, [{ to: builder, amount: 2_000n }]);
    await database.query(
      "update deposits set created_at = created_at - interval '200 days' where tx_hash = $1",
      [txHash],
    );
    const statements = createStatements(database);
    const daysAgo = (days: number) => new Date(createdAt.getTime() + 60_000 - days * 86_400_000);
    const of = async (from: Date, to: Date) => {
      const scope = { account: builder.address, token, from, to };
      const section = { section: "balance" as const, units: ["usdc"] };
      const all = { after: undefined, limit: 10 };
      return {
        sums: (await statements.listSections(scope)).flatMap(({ section, opening, closing }) =>
          section === "balance" ? [[opening, closing]] : [],
        ),
        sold: (await statements.listEntries(scope, section, all)).map((entry) => entry.orderId),
      };
    };
    expect(await of(daysAgo(30), daysAgo(0))).toEqual({ sums: [[0n, 2_000n]], sold: [orderId] });
    // The month of its block, and one between.
    expect(await of(daysAgo(215), daysAgo(185))).toEqual({ sums: [], sold: [] });
    expect(await of(daysAgo(90), daysAgo(60))).toEqual({ sums: [], sold: [] });
    const [month] = await statements.listMonths(builder.address, token);
    expect(month?.month).toBe(createdAt.toISOString().slice(0, 7));
  });

  test("a refund names the order it repays on both sides, on one date", async () => {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const planId = await sell(builder, { to: builder, amount: 2_000n });
    const { orderId } = await buyer.payments.plans.orderPlan(planId);
    const txHash = `0x${"f".repeat(64)}`;
    const refundId = `refund ${orderId}`;
    await database.query(
      `insert into account_payments (payment_id, account, kind, token, recipient, amount, state, tx_hash, created_at, closed_at)
       values ($1, $2, 'refund', $3, $4, 2000, 'paid', $5, app_now() - interval '1 day', app_now())`,
      [refundId, builder.address, token, buyer.address, txHash],
    );
    await database.query(
      `insert into refunds (refund_id, order_id, plan_id, owner, account, amount, scheme, currency, credits, fingerprint, state, reference, made_by, created_at, updated_at)
       values ($1, $2, $3, $4, $5, 2000, 'svc:erc4337', 'usd', 0, '', 'paid', $6, 'builder', app_now() - interval '1 day', app_now())`,
      [refundId, orderId, planId, builder.address, buyer.address, txHash],
    );
    await database.query(
      `insert into deposits (tx_hash, log_index, account, token, sender, amount, block, created_at)
       values ($1, 0, $2, $3, $4, 2000, 1, app_now() - interval '40 days')`,
      [txHash, buyer.address, token, builder.address],
    );
    const now = await service.ports.clock.now();
    const refundOf = async (party: TestParty) =>
      (await entriesOf(party, now)).find(({ kind }) => kind === "refund");
    const [sent, received] = [await refundOf(builder), await refundOf(buyer)];
    expect([sent, received]).toMatchObject([
      { orderId, planId, invoiceNumber: 1 },
      { orderId, planId, invoiceNumber: 1 },
    ]);
    expect(received?.at).toEqual(sent?.at);
    expect((await movementsOf(builder))[0]?.createdAt).toEqual(sent?.at);
  });

  test("of other months are not looked up for a statement", async () => {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const planId = await sell(builder, { to: builder, amount: 2_000n });
    await buyer.payments.plans.orderPlan(planId);
    const sales = Array.from({ length: 20 }, () => ({ to: builder, amount: 2_000n }));
    await captured(buyer, sales);
    // A block has one time, so these are other transactions.
    await database.query(
      "update deposits set created_at = created_at - interval '200 days', tx_hash = tx_hash || log_index where account = $1 and log_index > 0",
      [builder.address],
    );
    const to = await service.ports.clock.now();
    const scope = {
      ...{ account: builder.address, token, to: new Date(to.getTime() + 60_000) },
      from: new Date(to.getTime() - 30 * 86_400_000),
    };
    let plan = "";
    const query: Database["query"] = async (text, parameters) => {
      const explain = `explain (analyze, format json) ${text}`;
      plan = JSON.stringify(await database.query(explain, parameters));
      return [];
    };
    const statements = createStatements({ ...database, query });
    /** How often the orders were searched for one that a transfer paid. */
    const lookUps = () =>
      [...plan.matchAll(/"Alias":"q(?:_\d+)?",[^{}]*?"Actual Loops":(\d+)/g)].map(([, n]) => n);
    await statements.listSections(scope);
    expect(lookUps()).toEqual(["1"]);
    const section = { section: "balance" as const, units: ["usdc"] };
    await statements.listEntries(scope, section, { after: undefined, limit: 10 });
    expect(lookUps()).toEqual(["1"]);
  });

  longTest("are found by an index, whatever the number of orders", async () => {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const planId = await sell(builder, { to: builder, amount: 2_000n });
    await buyer.payments.plans.orderPlan(planId);
    await captured(buyer, [{ to: builder, amount: 2_000n }]);
    await database.query(
      `insert into orders select (jsonb_populate_record(o, jsonb_build_object('order_id', o.order_id || n, 'idempotency_key', null,
         'reference', 'tx' || n))).* from orders o, generate_series(1, 4000) n where o.plan_id = $1`,
      [planId],
    );
    await database.query("analyze orders", []);
    const plan = await database.query<{ "QUERY PLAN": string }>(
      "explain select o.* from deposits d left join lateral cause_of_deposit(d) o on true where d.account = $1",
      [builder.address],
    );
    expect(JSON.stringify(plan)).toContain("orders_reference");
  });
});
