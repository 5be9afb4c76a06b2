import { and, desc, eq, gt, isNull, lte } from "drizzle-orm";
import type { SharedRun } from "@/lib/console/shared-run.ts";
import type { SharedRunRecord, SharedRuns } from "@/lib/domain/figures/shared-run-ports.ts";
import { inTurn } from "./audit.ts";
import { inTransaction, type Orm } from "./client.ts";
import { findRow, findRows, matches } from "./rows.ts";
import { sharedRuns } from "./schema.ts";

type Row = typeof sharedRuns.$inferSelect;

/** Runs are kept as text: JSON's escapes hold characters a `jsonb` column refuses. */
const recordOf = ({ run, endedAt: _, ...row }: Row): SharedRunRecord => ({
  ...row,
  run: JSON.parse(run) as SharedRun,
});

const isOpen = (now: Date) => and(gt(sharedRuns.expiresAt, now), isNull(sharedRuns.endedAt));

export function createSharedRuns(orm: Orm): SharedRuns {
  return {
    insert: ({ run, ...record }, most) =>
      inTransaction(orm, async (transaction) => {
        await inTurn(transaction, record.account);
        const own = eq(sharedRuns.account, record.account);
        const live = await transaction.$count(sharedRuns, and(own, isOpen(record.createdAt)));
        if (live >= most) return false;
        await transaction.insert(sharedRuns).values({ ...record, run: JSON.stringify(run) });
        return true;
      }),
    async find(shareId, now) {
      const row = await findRow(orm, sharedRuns, and(eq(sharedRuns.shareId, shareId), isOpen(now)));
      return row && recordOf(row);
    },
    async list(account, now) {
      const own = and(eq(sharedRuns.account, account), isOpen(now));
      const rows = await findRows(orm, sharedRuns, own, desc(sharedRuns.createdAt));
      return rows.map(recordOf);
    },
    async end(shareId, account, now) {
      const gone = await orm
        .update(sharedRuns)
        .set({ run: "", endedAt: now })
        .where(matches(sharedRuns, { shareId, account }))
        .returning({ shareId: sharedRuns.shareId });
      return gone.length === 1;
    },
    async sweep(now) {
      const gone = await orm
        .delete(sharedRuns)
        .where(lte(sharedRuns.expiresAt, now))
        .returning({ shareId: sharedRuns.shareId });
      return gone.length;
    },
  };
}
