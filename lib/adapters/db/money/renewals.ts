import { and, eq, inArray, lte, sql } from "drizzle-orm";
import type { RenewalRecord, Renewals } from "@/lib/domain/money/renewal-ports.ts";
import { audited, databaseNow } from "../audit.ts";
import type { Orm } from "../client.ts";
import { balances, plans, renewals } from "../schema.ts";

const LEASE_SECS = 60;

// The order that was paid last is the period's.
const isRefunded = sql`'refunded' = (select o.status from transfers t join orders o on o.order_id = t.ref
  where t.account = ${renewals.account} and t.plan_id = ${renewals.planId} and t.kind = 'mint' order by t.seq desc limit 1)`;

// A sweep takes the credit of a period that ended. Where it ends sooner than it was to, its order may have been refunded
// before it began: what is left is an earlier order's.
const columns = {
  renewal: renewals,
  planName: sql<string>`coalesce(${plans.metadata}->>'name', '')`,
  endsAt: balances.expiresAt,
  hasAccess: sql<boolean>`case when ${balances.expiresAt} > app_now()
    then ${balances.available} > 0 and not (date_trunc('milliseconds', ${balances.expiresAt}) < ${renewals.periodEnd} and ${isRefunded})
    else ${balances.expiresAt} is not null and not ${isRefunded} end`,
};

const of = (account: string, planId: string) =>
  and(eq(renewals.account, account), eq(renewals.planId, planId));

/** Time plans that are ordered again before their time ends. */
export function createRenewals(orm: Orm): Renewals {
  const read = async (where: ReturnType<typeof and>): Promise<RenewalRecord[]> => {
    const rows = await orm
      .select(columns)
      .from(renewals)
      .innerJoin(plans, eq(plans.planId, renewals.planId))
      .leftJoin(
        balances,
        and(eq(balances.account, renewals.account), eq(balances.planId, renewals.planId)),
      )
      .where(where)
      .orderBy(renewals.dueAt, renewals.planId);
    return rows.map(({ renewal, ...rest }) => ({ ...renewal, ...rest }));
  };
  return {
    find: async (account, planId) => (await read(of(account, planId)))[0] ?? null,
    list: (account, planId) =>
      read(planId ? of(account, planId) : and(eq(renewals.account, account))),
    async findPeriod(account, planId) {
      const [row] = await orm
        .select({ endsAt: balances.expiresAt, available: balances.available })
        .from(balances)
        .where(and(eq(balances.account, account), eq(balances.planId, planId)));
      return row ? { endsAt: row.endsAt, hasAccess: row.available > 0n } : null;
    },
    ...createSwitch(orm),
    async takeDue(limit) {
      const taken = await orm
        .update(renewals)
        .set({ dueAt: sql`app_now() + make_interval(secs => ${LEASE_SECS})` })
        .where(
          inArray(
            sql`(${renewals.account}, ${renewals.planId})`,
            orm
              .select({ account: renewals.account, planId: renewals.planId })
              .from(renewals)
              .where(and(eq(renewals.state, "on"), lte(renewals.dueAt, databaseNow)))
              .orderBy(renewals.dueAt)
              .limit(limit)
              .for("update", { skipLocked: true }),
          ),
        )
        .returning({ account: renewals.account, planId: renewals.planId });
      const rows = await Promise.all(taken.map(({ account, planId }) => read(of(account, planId))));
      return rows.flat();
    },
    async moveOn({ account, planId, delegationId, periodEnd, attempt }, step) {
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
        .where(
          and(
            of(account, planId),
            eq(renewals.state, "on"),
            eq(renewals.delegationId, delegationId),
            eq(renewals.periodEnd, periodEnd),
            eq(renewals.attempt, attempt),
          ),
        );
    },
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
        .where(and(of(account, planId), eq(renewals.state, "on")));
    }),
});
