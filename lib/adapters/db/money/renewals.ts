import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { RenewalRecord, Renewals } from "@/lib/domain/money/renewal-ports.ts";
import type { Cause } from "@/lib/domain/permissions/causes.ts";
import { audited, databaseNow } from "../audit.ts";
import type { Orm } from "../client.ts";
import { extentOf, foreignCursor, pageOf, readPlace, writePlace } from "../paging.ts";
import { fromPlanRow, isNewestVersion, planColumns } from "../plan-rows.ts";
import { findRow, isAsRead, isNextDue, matches, readFirst } from "../rows.ts";
import {
  accounts,
  balances,
  delegations,
  orders,
  plans,
  planVersions,
  renewals,
} from "../schema.ts";

const LEASE_SECS = 60;

// The order that was paid last is the period's.
const isRefunded = sql`'refunded' = (select o.status from transfers t join orders o on o.order_id = t.ref
  where t.account = ${renewals.account} and t.plan_id = ${renewals.planId} and t.kind = 'mint' order by t.seq desc limit 1)`;

// A sweep takes the credit of a period that ended. Where it ends sooner than it was to, its order may have been refunded
// before it began: what is left is an earlier order's.
const columns = {
  ...getTableColumns(renewals),
  planName: sql<string>`coalesce(${plans.metadata}->>'name', '')`,
  endsAt: balances.expiresAt,
  hasAccess: sql<boolean>`case when ${balances.expiresAt} > app_now()
    then ${balances.available} > 0 and not (date_trunc('milliseconds', ${balances.expiresAt}) < ${renewals.periodEnd} and ${isRefunded})
    else ${balances.expiresAt} is not null and not ${isRefunded} end`,
};

const HAS_BALANCE = and(
  eq(balances.account, renewals.account),
  eq(balances.planId, renewals.planId),
);

// The key is that of `orderKeyOf`.
const IS_NEXT = and(
  eq(renewals.state, "on"),
  eq(orders.account, renewals.account),
  sql`${orders.idempotencyKey} = 'renewal/' || ${renewals.planId} || '/'
    || floor(extract(epoch from ${renewals.periodEnd}) * 1000)::bigint || '/' || ${renewals.attempt}`,
);
const listColumns = {
  ...columns,
  ...planColumns,
  delegation: delegations,
  order: { orderId: orders.orderId, status: orders.status },
  isStopped: sql<boolean>`${accounts.stoppedAt} is not null`,
  cause: sql<Cause | null>`case when ${renewals.state} = 'on' then renewal_cause(${renewals}) end`,
};

/** Those that come first at the top: by when they are due, in microseconds. */
const due = sql<string>`coalesce((extract(epoch from ${renewals.dueAt}) * 1000000)::bigint, 9223372036854775807)::bigint`;
const IN_ORDER = [due, renewals.planId];

function isAfter(cursor: string) {
  const [micros, planId] = readPlace(cursor, /^(\d{1,19}) (\d{1,78})$/);
  if (BigInt(micros) >= 2n ** 63n) throw foreignCursor();
  return sql`(${due}, ${renewals.planId}) > (${micros}::bigint, ${planId})`;
}

const of = (account: string, planId: string) => matches(renewals, { account, planId });
const IS_ON = eq(renewals.state, "on");
const isAsTaken = ({ account, planId, updatedAt }: RenewalRecord) =>
  and(of(account, planId), IS_ON, isAsRead(renewals.updatedAt, updatedAt));

/** Whether a renewal was not switched or moved on since it was read; it stays so until the transaction ends. */
export const keepAsTaken = async (transaction: Orm, taken: RenewalRecord): Promise<boolean> =>
  (
    await transaction
      .select({ planId: renewals.planId })
      .from(renewals)
      .where(isAsTaken(taken))
      .for("share")
  ).length > 0;

/** Time plans that are ordered again before their time ends. */
export function createRenewals(orm: Orm): Renewals {
  const read = async (where: ReturnType<typeof and>): Promise<RenewalRecord[]> =>
    orm
      .select(columns)
      .from(renewals)
      .innerJoin(plans, eq(plans.planId, renewals.planId))
      .leftJoin(balances, HAS_BALANCE)
      .where(where);
  return {
    list: (account, query) => listPage(orm, account, query),
    listPaidBy: ({ account, delegationId }) =>
      read(matches(renewals, { account, delegationId, state: "on" })),
    async findPeriod(account, planId) {
      const row = await findRow(orm, balances, { account, planId });
      return row && { endsAt: row.expiresAt, hasAccess: row.available > 0n };
    },
    ...createSwitch(orm),
    async takeDue(limit) {
      const id = sql`${renewals.account}, ${renewals.planId}`;
      const isDue = sql`${IS_ON} and ${renewals.dueAt} <= app_now()`;
      return orm
        .update(renewals)
        .set({ dueAt: sql`app_now() + make_interval(secs => ${LEASE_SECS})` })
        .where(isNextDue(renewals, id, limit, { isDue }))
        .returning({ account: renewals.account, planId: renewals.planId });
    },
    findOn: ({ account, planId }) => readFirst(read(and(of(account, planId), IS_ON))),
    async moveOn(taken, step) {
      const { failure, ...next } = step;
      await orm
        .update(renewals)
        .set({
          dueAt: null,
          ...next,
          failureCode: failure?.code ?? null,
          failureMessage: failure?.message ?? null,
          updatedAt: databaseNow,
        })
        .where(isAsTaken(taken));
    },
  };
}

async function listPage(orm: Orm, ...[account, query]: Parameters<Renewals["list"]>) {
  const { limit, offset } = extentOf(query);
  const where = query.planId ? of(account, query.planId) : eq(renewals.account, account);
  const page = orm
    .select({ planId: renewals.planId })
    .from(renewals)
    .where(and(where, query.cursor ? isAfter(query.cursor) : undefined))
    .orderBy(...IN_ORDER)
    .limit(limit + 1)
    .offset(offset);
  const [rows, total] = await Promise.all([
    orm
      .select({ ...listColumns, due })
      .from(renewals)
      .innerJoin(plans, eq(plans.planId, renewals.planId))
      .innerJoin(planVersions, isNewestVersion)
      .innerJoin(accounts, eq(accounts.address, plans.owner))
      .innerJoin(delegations, eq(delegations.delegationId, renewals.delegationId))
      .leftJoin(balances, HAS_BALANCE)
      .leftJoin(orders, IS_NEXT)
      .where(and(eq(renewals.account, account), inArray(renewals.planId, page)))
      .orderBy(...IN_ORDER),
    orm.$count(renewals, where),
  ]);
  const { items, ...rest } = pageOf(rows, {
    limit,
    total,
    cursorOf: ({ due: at, planId }) => writePlace(at, planId),
  });
  return {
    items: items.map(({ plan, terms, redeemers, due: _, ...renewal }) => ({
      ...renewal,
      plan: fromPlanRow({ plan, terms, redeemers }),
    })),
    ...rest,
  };
}

const createSwitch = (orm: Orm): Pick<Renewals, "switchOn" | "switchOff"> => ({
  switchOn: (renewal, audit) =>
    audited(orm, audit, async (transaction) => {
      const { account: _, planId: __, ...agreed } = renewal;
      await transaction
        .insert(renewals)
        .values({ ...renewal, state: "on", createdAt: databaseNow, updatedAt: databaseNow })
        .onConflictDoUpdate({
          target: [renewals.account, renewals.planId],
          set: {
            ...agreed,
            state: "on",
            attempt: sql`case when ${renewals.periodEnd} <> excluded.period_end then excluded.attempt
              else greatest(excluded.attempt, ${renewals.attempt} + (${renewals.state} = 'stopped')::int) end`,
            failureCode: null,
            failureMessage: null,
            updatedAt: databaseNow,
          },
        });
    }),
  switchOff: (account, planId, audit) =>
    audited(orm, audit, async (transaction) => {
      await transaction
        .update(renewals)
        .set({
          state: "off",
          dueAt: null,
          failureCode: null,
          failureMessage: null,
          updatedAt: databaseNow,
        })
        .where(and(of(account, planId), IS_ON));
    }),
});
