import { and, desc, eq, getTableColumns, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { AlertRuleChanges, AlertRuleRecord, Alerts } from "@/lib/domain/alerts/alert-ports.ts";
import { audited, auditedIf, databaseNow, inTurn } from "../audit.ts";
import { type Database, type Orm, orRolledBack, RolledBack } from "../client.ts";
import { inPage, readPage } from "../paging.ts";
import { findRow, matches, readValue, readValues } from "../rows.ts";
import { alertAccounts, alertRules, alerts, mails } from "../schema.ts";

const TAKE_DUE_CARDS = `
  with clock as materialized (select app_now() as now)
  update alert_accounts set cards_at = (select now from clock) + interval '1 hour' where account = any(array(
    select a.account from (select distinct account from delegations
        where payment_method_id is not null and revoked_at is null and expires_at > (select now from clock)) d
      cross join lateral (select * from alert_accounts one where one.account = d.account offset 0) a
    where a.cards_at <= (select now from clock) order by a.cards_at limit $1)) returning account`;

// A look that fails changes nothing, and the next one would begin with the same account.
const FIRST =
  "select account from alert_accounts where due_at <= app_now() order by due_at limit 1";
const PUT_OFF = `update alert_accounts set due_at = app_now() + interval '15 minutes' where account = (${FIRST})`;

/** Rules and alerts on SQL: `functions/notices.sql` opens and closes them. */
export function createAlerts({ orm, query }: Database): Alerts {
  return {
    ...createRules(orm),
    async run(limit, builtIn) {
      const rules = JSON.stringify(builtIn);
      const look = async (most: number) =>
        (await readValue<number>(query("select run_alerts($1, $2)", [most, rules]))) ?? 0;
      await query("select find_news()", []);
      try {
        return await look(limit);
      } catch (cause) {
        // The error comes before the locks of what failed are gone, and locked accounts are skipped.
        await query(`select from (${FIRST} for update) first`, []);
        // The first alone: it may not be the one that failed.
        if ((await look(1).catch(() => 0)) === 0) await query(PUT_OFF, []);
        throw cause;
      }
    },
    list: (account, { status, ...page }) =>
      readPage({
        orm,
        from: alerts,
        where: and(
          eq(alerts.account, account),
          status && (status === "open" ? isNull(alerts.closedAt) : isNotNull(alerts.closedAt)),
        ),
        id: "alertId",
        query: page,
        read: (extent) =>
          inPage(
            orm
              .select({ ...getTableColumns(alerts), mail: mails.state })
              .from(alerts)
              .leftJoin(mails, and(eq(mails.kind, "alert"), eq(mails.ref, alerts.alertId)))
              .$dynamic(),
            extent,
          ),
      }),
    find: (alertId) => findRow(orm, alerts, { alertId }),
    async noteService(name, isTroubled) {
      const text = isTroubled
        ? "insert into troubled_services (name, since) values ($1, app_now()) on conflict (name) do nothing"
        : "delete from troubled_services where name = $1";
      await query(text, [name]);
    },
    takeDueCards: (limit) => readValues(query(TAKE_DUE_CARDS, [limit])),
    async writeCards(account, cards) {
      await orm
        .update(alertAccounts)
        .set({ cards: [...cards], cardsAt: sql`app_now() + interval '1 day'` })
        .where(eq(alertAccounts.account, account));
    },
  };
}

const own = ({ account, ruleId }: Pick<AlertRuleRecord, "account" | "ruleId">) =>
  matches(alertRules, { account, ruleId });
const hasAtMost = async (transaction: Orm, account: string, most: number) =>
  (await transaction.$count(alertRules, eq(alertRules.account, account))) <= most;
const wake = (transaction: Orm, account: string) =>
  transaction.execute(sql`select wake_alerts(${account})`);

function createRules(orm: Orm) {
  const write = async (transaction: Orm, rules: AlertRuleRecord[]) => {
    await transaction
      .insert(alertRules)
      .values(rules)
      .onConflictDoUpdate({
        target: [alertRules.account, alertRules.kind, alertRules.object, alertRules.threshold],
        set: {
          email: sql`excluded.email`,
          webhook: sql`excluded.webhook`,
          isOn: sql`excluded.is_on`,
        },
      });
  };
  return {
    listRules: (account) =>
      orm
        .select()
        .from(alertRules)
        .where(eq(alertRules.account, account))
        .orderBy(alertRules.kind, desc(alertRules.object), alertRules.threshold),
    writeRules: (rules, most, note) =>
      auditedIf(orm, note, async (transaction) => {
        await inTurn(transaction, note.account);
        await write(transaction, rules);
        await wake(transaction, note.account);
        return hasAtMost(transaction, note.account, most);
      }),
    updateRule: (ruleId, changes, note) =>
      audited(orm, note, (transaction) =>
        change(transaction, { account: note.account, ruleId }, changes),
      ),
    takeOverRules: (rules, most, { threshold, changes }, note) => {
      const written = audited(orm, note, async (transaction) => {
        await inTurn(transaction, note.account);
        // Those that another change has just written stay as they are.
        await transaction.insert(alertRules).values(rules).onConflictDoNothing();
        const of = rules.map(({ kind, object }) => matches(alertRules, { kind, object }));
        const own = matches(alertRules, { account: note.account, threshold });
        const rule = await findRow(transaction, alertRules, and(own, or(...of)));
        if (!rule)
          throw new Error(`There is no rule at ${threshold} among those that were written.`);
        await change(transaction, rule, changes);
        if (await hasAtMost(transaction, note.account, most)) return rule.ruleId;
        throw new RolledBack(null);
      });
      return orRolledBack<string | null>(written);
    },
    deleteRule: (rule, note) =>
      audited(orm, note, async (transaction) => {
        await transaction.delete(alertRules).where(own(rule));
        await transaction
          .update(alerts)
          .set({ closedAt: databaseNow })
          .where(and(eq(alerts.ruleId, rule.ruleId), isNull(alerts.closedAt)));
        await wake(transaction, rule.account);
      }),
  } satisfies Partial<Alerts>;
}

/** Writes the given fields. A rule that would equal another takes its place. */
async function change(
  transaction: Orm,
  rule: Pick<AlertRuleRecord, "account" | "ruleId">,
  changes: AlertRuleChanges,
): Promise<void> {
  const { account, ruleId } = rule;
  if (changes.threshold !== undefined) {
    await transaction.execute(
      sql`delete from alert_rules same using alert_rules r where r.account = ${account} and r.rule_id = ${ruleId}
            and same.account = r.account and same.kind = r.kind and same.object = r.object
            and same.threshold = ${changes.threshold} and same.rule_id <> r.rule_id`,
    );
  }
  if (Object.keys(changes).length > 0) {
    await transaction.update(alertRules).set(changes).where(own(rule));
  }
  await wake(transaction, account);
}
