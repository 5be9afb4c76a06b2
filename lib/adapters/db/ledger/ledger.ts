import { toJson } from "@turnpike/payments/protocol";
import type { HoldOutcome, HoldRow, SettleOutcome, SettleRow } from "@/lib/domain/ledger-rows.ts";
import {
  factsOf,
  OwnFacts,
  type PermissionFacts,
  SharedFacts,
} from "@/lib/domain/permissions/permission-facts.ts";
import type { FactsQuestion, Ledger } from "@/lib/domain/ports.ts";
import type { Database } from "../client.ts";
import { isOfValues } from "../faults.ts";
import { sumSteps } from "../rows.ts";
import { createBatcher, type RoundResult } from "./batcher.ts";
import { together } from "./together.ts";

export type LedgerOptions = {
  /** The most requests of one transaction; 1 switches batching off. */
  maxBatch?: number;
  /** Transactions of one kind under way at once. */
  lanes?: number;
};

const SWEEP_LIMIT = 500;

/** The ledger on SQL: grouped calls of the functions in `functions/`. */
export function createLedger(database: Database, options: LedgerOptions = {}): Ledger {
  // The embedded database runs one statement at a time, so a second lane would only halve the groups.
  const lanes = options.lanes ?? (database.kind === "postgres" ? 2 : 1);
  const settings = { maxBatch: options.maxBatch ?? 256, lanes, isOfOneItem: isOfValues };

  const readFacts = createBatcher({
    ...settings,
    run: async (questions: FactsQuestion[]) => {
      const asked = together(questions, keyOfQuestion, QUESTION_LISTS);
      const text = "select * from facts_together($1::jsonb)";
      const rows = await database.query<FactsRow>(text, [toJson(asked)]);
      return factsInOrder(rows, asked);
    },
  });

  const hold = createBatcher({
    ...settings,
    run: async (items: HoldRow[]) => {
      const rows = await call<HoldResult>(database, HOLD, items);
      return inOrder(items.length, rows, readHoldResult);
    },
  });

  const settle = createBatcher({
    ...settings,
    run: async (items: SettleRow[]) => {
      const rows = await call<SettleResult>(database, SETTLE, settlementsTogether(items));
      return inOrder(items.length, rows, readSettleResult);
    },
  });

  const release = createBatcher({
    ...settings,
    run: async (items: { builder: string; agentRequestId: string }[]) => {
      const text = "select * from resolve_holds($1::jsonb, 'released')";
      const rows = await call<ReleaseResult>(database, text, items);
      return inOrder(items.length, rows, ({ outcome, released }) => {
        // Reserved while this release was waiting for the balance: the next round gives it back.
        if (outcome === "held") return "retry";
        return { value: outcome === "unknown" ? null : released };
      });
    },
  });

  return {
    readFacts,
    hold,
    settle,
    release: (builder, agentRequestId) => release({ builder, agentRequestId }),
    renew: (builder, agentRequestIds, { leaseSecs, capSecs }) =>
      database.query(RENEW, [builder, agentRequestIds, leaseSecs, capSecs]),
    // A statement each: together they would lock balances in no order, and wait for settlements that wait for them.
    sweep: () =>
      sumSteps(["sweep_holds", "sweep_expired_balances", "sweep_debts"], (step) =>
        database.query(`select ${step}($1)`, [SWEEP_LIMIT]),
      ),
  };
}

const HOLD = `select ord, outcome, remaining, expires_at as "expiresAt" from hold_set($1::jsonb)`;
const SETTLE = `
  select ord, outcome, settlement_id as "settlementId", remaining, settled_at as "settledAt" from settle_requests($1::jsonb)`;
const RENEW = `
  select id as "agentRequestId", state, case state when 'held' then expires_at end as "expiresAt"
  from renew_holds($1, $2::text[], make_interval(secs => $3), make_interval(secs => $4))`;

type FactsRow = { ord: number; shared: unknown; facts: unknown };
type Facts = RoundResult<PermissionFacts>;

const keyOfQuestion = ({ keyHash, planId, subject }: FactsQuestion) =>
  `${keyHash} ${planId} ${subject}`;
const QUESTION_LISTS = { jtis: "jti", ids: "agentRequestId", attempts: "attemptId" } as const;

/** What is shared comes with the first of its requests. */
function factsInOrder(rows: FactsRow[], asked: { ords: number[] }[]): Facts[] {
  const byOrd: FactsRow[] = [];
  for (const row of rows) byOrd[row.ord] = row;
  const results: Facts[] = [];
  for (const { ords } of asked) {
    const shared = SharedFacts.parse(byOrd[ords[0] ?? 0]?.shared);
    for (const ord of ords)
      results[ord] = { value: factsOf(shared, OwnFacts.parse(byOrd[ord]?.facts)) };
  }
  return results;
}

/** Settlements as `settle_requests` takes them. */
export const settlementsTogether = (items: SettleRow[]) =>
  together(items, ({ fingerprint }) => fingerprint, {
    ids: "agentRequestId",
    settlements: "settlementId",
    transactions: "transaction",
  });

type HoldResult = {
  ord: number;
  outcome: HoldOutcome["outcome"] | "retry";
  remaining: bigint | null;
  expiresAt: Date;
};
type SettleResult = {
  ord: number;
  outcome: SettleOutcome["outcome"] | "retry";
  settlementId: string;
  remaining: bigint | null;
  settledAt: Date;
};
type ReleaseResult = { ord: number; outcome: string; released: bigint };

function readHoldResult({ outcome, remaining, expiresAt }: HoldResult): RoundResult<HoldOutcome> {
  if (outcome === "retry") return "retry";
  if (outcome !== "held") return { value: { outcome } };
  return { value: { outcome, remaining: remaining ?? 0n, expiresAt } };
}

function readSettleResult(row: SettleResult): RoundResult<SettleOutcome> {
  const { outcome, settlementId, settledAt } = row;
  if (outcome === "retry") return "retry";
  if (outcome !== "settled" && outcome !== "replayed") return { value: { outcome } };
  return { value: { outcome, settlementId, remaining: row.remaining ?? 0n, settledAt } };
}

/** Amounts as texts: JSON with a bigint in it is written by a callback for each member. */
const call = <Row>(database: Database, text: string, items: readonly object[]): Promise<Row[]> => {
  const rows = items.map((item, ord) => ({
    ord,
    ...item,
    ...("amount" in item && { amount: String(item.amount) }),
  }));
  return database.query<Row>(text, [toJson(rows)]);
};

function inOrder<Row extends { ord: number }, Out>(
  count: number,
  rows: Row[],
  read: (row: Row) => RoundResult<Out>,
): RoundResult<Out>[] {
  const results = new Array<RoundResult<Out>>(count).fill("retry");
  for (const row of rows) results[row.ord] = read(row);
  return results;
}
