import { toJson } from "@turnpike/payments/protocol";
import type {
  HoldOutcome,
  HoldRow,
  RenewedHold,
  SettleOutcome,
  SettleRow,
} from "@/lib/domain/ledger-rows.ts";
import { PermissionFacts } from "@/lib/domain/permissions/permission-facts.ts";
import type { FactsQuestion, Ledger } from "@/lib/domain/ports.ts";
import type { Database } from "../client.ts";
import { isOfValues } from "../faults.ts";
import { readValue } from "../rows.ts";
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
      const text = "select * from request_facts($1::jsonb)";
      const rows = await call<{ ord: number; facts: unknown }>(database, text, questions);
      return inOrder(questions.length, rows, ({ facts }) => ({
        value: PermissionFacts.parse(facts),
      }));
    },
  });

  const hold = createBatcher({
    ...settings,
    run: async (items: HoldRow[]) => {
      const rows = await call<HoldResult>(database, "select * from hold_set($1::jsonb)", items);
      return inOrder(items.length, rows, readHoldResult);
    },
  });

  const settle = createBatcher({
    ...settings,
    run: async (items: SettleRow[]) => {
      const rows = await call<SettleResult>(
        database,
        "select * from settle_requests($1::jsonb)",
        together(items),
      );
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
    async renew(builder, agentRequestIds, { leaseSecs, capSecs }) {
      const rows = await database.query<RenewResult>(
        `select * from renew_holds($1, $2::text[], make_interval(secs => $3), make_interval(secs => $4))`,
        [builder, agentRequestIds, leaseSecs, capSecs],
      );
      return rows.map(({ id, state, expires_at }) => ({
        agentRequestId: id,
        state,
        expiresAt: state === "held" ? expires_at : null,
      }));
    },
    async sweep() {
      let swept = 0;
      // A statement each: together they would lock balances in no order, and wait for settlements that wait for them.
      for (const step of ["sweep_holds", "sweep_expired_balances", "sweep_debts"]) {
        const one = database.query(`select ${step}($1)`, [SWEEP_LIMIT]);
        swept += (await readValue<number>(one)) ?? 0;
      }
      return swept;
    },
  };
}

type Unsettled = SettleOutcome["outcome"];
type HoldResult = {
  ord: number;
  outcome: string;
  remaining: bigint | null;
  expires_at: Date | null;
};
type SettleResult = {
  ord: number;
  outcome: string;
  settlement_id: string;
  remaining: bigint | null;
  settled_at: Date;
};
type RenewResult = { id: string; state: RenewedHold["state"]; expires_at: Date | null };
type ReleaseResult = { ord: number; outcome: string; released: bigint };

function readHoldResult(row: HoldResult): RoundResult<HoldOutcome> {
  if (row.outcome === "retry") return "retry";
  if (row.outcome !== "held") {
    return { value: { outcome: row.outcome as Exclude<HoldOutcome["outcome"], "held"> } };
  }
  const expiresAt = row.expires_at as Date;
  return { value: { outcome: "held", remaining: row.remaining ?? 0n, expiresAt } };
}

function readSettleResult(row: SettleResult): RoundResult<SettleOutcome> {
  if (row.outcome === "retry") return "retry";
  if (row.outcome !== "settled" && row.outcome !== "replayed") {
    return { value: { outcome: row.outcome as Exclude<Unsettled, "settled" | "replayed"> } };
  }
  const { outcome, settlement_id: settlementId, settled_at: settledAt } = row;
  return { value: { outcome, settlementId, remaining: row.remaining ?? 0n, settledAt } };
}

const call = <Row>(database: Database, text: string, items: object[]): Promise<Row[]> =>
  database.query<Row>(text, [toJson(items.map((item, ord) => ({ ord, ...item })))]);

function inOrder<Row extends { ord: number }, Out>(
  count: number,
  rows: Row[],
  read: (row: Row) => RoundResult<Out>,
): RoundResult<Out>[] {
  const results = new Array<RoundResult<Out>>(count).fill("retry");
  for (const row of rows) results[row.ord] = read(row);
  return results;
}
