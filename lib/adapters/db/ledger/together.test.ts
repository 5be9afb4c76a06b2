import { randomUUID } from "node:crypto";
import { buildPaymentRequired, getFixedCreditsConfig, toJson } from "@turnpike/payments/protocol";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SettleRow } from "@/lib/domain/ledger-rows.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
} from "@/lib/server/testing/test-service.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { type Database, inTransaction, type Orm, rowsOf } from "../client.ts";
import { brokenRules, ruleStores } from "../testing/stores.ts";
import { settlementsTogether } from "./ledger.ts";

const BATCHES = inFull(120, 60);
/** What a batch changes, but for times. */
const LEDGER = [
  "select to_jsonb(s) - 'created_at' as row from settlements s order by request_key",
  "select to_jsonb(t) - 'created_at' as row from transfers t order by account, plan_id, seq",
  "select to_jsonb(b) as row from balances b order by account, plan_id",
  "select to_jsonb(t) - 'last_used_at' as row from tokens t order by jti",
  "select to_jsonb(h) - 'resolved_at' as row from holds h order by request_key",
  "select to_jsonb(u) as row from budget_sums u order by scope, payee, unit, day",
  "select refs as row from event_queue where refs is not null order by id",
];

type Candidate = Omit<SettleRow, "settlementId" | "transaction">;

function named(candidate: Candidate): SettleRow {
  const settlementId = randomUUID();
  return { ...candidate, settlementId, transaction: settlementId };
}

/** Numbers below a bound that are the same in every run. */
function createDice(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

describe.each(ruleStores())("settlements sent together, on $name", ({ open }) => {
  let database: Database;
  const candidates: Candidate[] = [];

  beforeAll(async () => {
    database = await open();
    const service = createTestService(database);
    for (const hasBudgets of [false, true]) {
      const credits = getFixedCreditsConfig(60n, 2n);
      const market = await createMarket(service, { credits, leaseSecs: 30, redemptionLimit: 25 });
      candidates.push(...(await candidatesOf(market, hasBudgets)));
    }
  });
  afterAll(() => database.close());

  /** Settlements of each kind, of which a batch has any: fresh, repeated, from a hold, from a lease, and those that cannot be. */
  async function candidatesOf(market: TestMarket, hasBudgets: boolean) {
    const { facilitator } = market.builder.payments;
    const { planId, agentId, endpoint, token, subscriber } = market;
    const question = {
      paymentRequired: buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" }),
      x402AccessToken: token,
    };
    const [before, held] = [freshId(), freshId()];
    await facilitator.settlePermissions({ ...question, agentRequestId: before });
    if (hasBudgets) {
      await subscriber.payments.budgets.setBudgets({
        limits: [{ period: "day", unit: "credits", limit: 30n }],
      });
    }
    await facilitator.verifyPermissions({ ...question, agentRequestId: held, reserve: true });
    const { leaseId = "" } = await facilitator.leasePermissions({
      ...question,
      requests: 3,
      seconds: 5,
    });
    const [row] = await database.query<Record<string, string> & { hash: string }>(
      `select s.*, k.hash from settlements s join api_keys k on k.account = s.builder where agent_request_id = $1`,
      [before],
    );
    if (!row || leaseId === "") throw new Error("There is no settlement or no lease.");
    const direct = {
      builder: row.builder ?? "",
      agentRequestId: before,
      fingerprint: row.fingerprint ?? "",
      account: row.account ?? "",
      planId,
      agentId,
      jti: row.jti ?? "",
      delegationId: row.delegation_id ?? "",
      amount: 2n,
      scheme: row.scheme ?? "",
      network: row.network ?? "",
      fromHold: false,
      orderTx: null,
      chainStatus: "none" as const,
      mirror: false,
      keyHash: row.hash,
      subject: "POST /ask",
      resource: null,
    };
    const fresh = Array.from({ length: 8 }, () => ({ ...direct, agentRequestId: freshId() }));
    const leased = Array.from({ length: 5 }, () => ({
      ...direct,
      agentRequestId: freshId(),
      fromHold: true,
      leaseId,
    }));
    return [
      ...[direct, { ...direct, fingerprint: "another" }, ...fresh, ...leased],
      { ...direct, agentRequestId: held, fromHold: true },
      { ...direct, agentRequestId: held, fromHold: true, amount: 1n },
      { ...direct, agentRequestId: held },
      { ...direct, agentRequestId: freshId(), amount: 40n },
      { ...direct, agentRequestId: freshId(), mirror: true, resource: "https://agent.example/ask" },
      { ...direct, agentRequestId: freshId(), fromHold: true, leaseId: "lse_unknown" },
      { ...direct, agentRequestId: freshId(), keyHash: "unknown" },
    ];
  }

  class RolledBack extends Error {}

  /** What is read in a transaction that is taken back. */
  async function rolledBack<T>(read: (transaction: Orm) => Promise<T>): Promise<T> {
    const results: T[] = [];
    await inTransaction(database.orm, async (transaction) => {
      results.push(await read(transaction));
      throw new RolledBack();
    }).catch((cause) => {
      if (!(cause instanceof RolledBack)) throw cause;
    });
    return results[0] as T;
  }

  function answersOf(transaction: Orm, rows: object[]): Promise<{ outcome: string }[]> {
    const sent = toJson(rows.map((row, ord) => ({ ord, ...row })));
    return rowsOf(
      transaction,
      sql`select ord, outcome, settlement_id, remaining::text from settle_requests(${sent}::jsonb) order by ord`,
    );
  }

  /** What the ledger answers and what it has then. */
  const settle = (rows: object[]) =>
    rolledBack(async (transaction) => {
      const answers = await answersOf(transaction, rows);
      const ledger = [];
      for (const text of LEDGER) ledger.push(await rowsOf(transaction, sql.raw(text)));
      return { answers, ledger };
    });

  /** The settlements of a batch that budgets are told of, and their size. */
  const toldOf = (rows: object[]) =>
    rolledBack(async (transaction) => {
      await transaction.execute(sql`create or replace function budget_refusals(p_rows jsonb, p_ords int[], p_now timestamptz)
        returns jsonb language plpgsql as $$ begin perform set_config('test.told', p_rows::text, true); return '{}'; end $$`);
      const answers = await answersOf(transaction, rows);
      expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(["settled"]));
      const [row] = await rowsOf<{ told: string }>(
        transaction,
        sql`select current_setting('test.told') as told`,
      );
      const told: { agentRequestId: string }[] = JSON.parse(row?.told || "[]");
      return { ids: told.map(({ agentRequestId }) => agentRequestId), size: row?.told.length ?? 0 };
    });

  test("come to what they come to one by one, as replicas of an earlier release send them", async () => {
    const roll = createDice(11);
    const outcomes = new Map<string, number>();
    for (let count = 0; count < BATCHES; count += 1) {
      const batch = Array.from({ length: 1 + roll(24) }, () =>
        named(candidates[roll(candidates.length)] as Candidate),
      );
      const single = await settle(batch);
      expect(await settle(settlementsTogether(batch))).toEqual(single);
      for (const { outcome } of single.answers)
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    const met = [...outcomes.keys()].sort();
    expect(met).toEqual(expect.arrayContaining(["settled", "replayed", "conflict", "retry"]));
    expect(met).toEqual(expect.arrayContaining(["unauthorized", "stale", "insufficient"]));
    expect(await brokenRules(database)).toEqual([]);
    console.log(`settled together: ${BATCHES} batches, ${toJson(Object.fromEntries(outcomes))}`);
  }, 120_000);

  test("are decided one after another: what does not fit leaves its credits to those after it", async () => {
    const [, , fitting, other] = candidates as [Candidate, Candidate, Candidate, Candidate];
    const batch = [named({ ...other, amount: 60n }), named(fitting)];
    const settled = await settle(batch);
    expect(settled.answers.map(({ outcome }) => outcome)).toEqual(["insufficient", "settled"]);
    const holds = batch.map((row, ord) => ({ ...row, ord, planVersion: 1, ttlMs: 1_000 }));
    const held = await rolledBack((transaction) =>
      rowsOf<{ outcome: string }>(
        transaction,
        sql`select outcome from hold_set(${toJson(holds)}::jsonb) order by ord`,
      ),
    );
    expect(held.map(({ outcome }) => outcome)).toEqual(["insufficient", "held"]);
  });

  test("tell budgets of no more than one by one, and only of what they count or get back", async () => {
    const ofBudgets = candidates.slice(candidates.length / 2);
    const fresh = ofBudgets.slice(2, 10).map(named);
    const leased = ofBudgets
      .filter(({ leaseId }) => leaseId !== undefined)
      .slice(0, 3)
      .map(named);
    const held = ofBudgets.filter(({ fromHold, leaseId }) => fromHold && !leaseId).map(named);
    const ids = fresh.map(({ agentRequestId }) => agentRequestId);
    const single = await toldOf([...leased, ...fresh]);
    const batch = await toldOf(settlementsTogether([...leased, ...fresh]));
    expect(batch.size).toBeLessThanOrEqual(single.size);
    expect([single.ids, batch.ids]).toEqual([ids, ids]);
    // One leaves a rest of its hold, whose budgets are locked in order with those of the others.
    const rests = [];
    for (const row of held)
      rests.push((await toldOf(settlementsTogether([...leased, row]))).ids.length);
    expect(rests).toEqual([0, 1]);
  });

  test("start again when an id was taken meanwhile by a batch of another balance", async () => {
    // The embedded database has one connection, so nothing is meanwhile.
    if (database.kind === "pglite") return;
    const one = named(candidates[2] as Candidate);
    const { builder, agentRequestId } = one;
    const other = {
      ...named(candidates.at(-2) as Candidate),
      keyHash: undefined,
      builder,
      agentRequestId,
    };
    let tries = 0;
    const later = await inTransaction(database.orm, async (transaction) => {
      expect(await answersOf(transaction, [one])).toMatchObject([{ outcome: "settled" }]);
      const answers = rolledBack(async (concurrent) => {
        tries += 1;
        return answersOf(concurrent, [{ ...other, fromHold: false, leaseId: undefined }]);
      });
      const waiting =
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await expect.poll(() => database.query(waiting)).toHaveLength(1);
      return { answers };
    });
    expect(await later.answers).toMatchObject([{ outcome: "conflict" }]);
    expect(tries).toBe(2);
  });
});
