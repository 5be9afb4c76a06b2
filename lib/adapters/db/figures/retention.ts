import type { Database } from "../client.ts";
import { sumSteps } from "../rows.ts";

/** For how many days rows beside the ledger are kept; 0 keeps them. */
export type KeptDays = { reports: number; deliveries: number; mails: number; events: number };

const AT_ONCE = 2_000;

const DELIVERIES = `
  delete from webhook_deliveries where (endpoint_id, sequence) in (select endpoint_id, sequence from webhook_deliveries
    where state <> 'waiting' and created_at < app_now() - make_interval(days => $1) order by created_at limit $2) returning 1`;
const MAILS = `
  delete from mails where mail_id in (select mail_id from mails
    where state <> 'waiting' and created_at < app_now() - make_interval(days => $1) order by created_at limit $2) returning 1`;
const APPROVALS = `
  delete from approvals where approval_id in (select approval_id from approvals
    where decided_at is null and created_at < app_now() - make_interval(days => $1) and expires_at <= app_now()
    order by created_at limit $2) returning 1`;

const OF_REMOVED = `
  delete from webhook_deliveries where (endpoint_id, sequence) in (select d.endpoint_id, d.sequence from webhook_endpoints w
    join webhook_deliveries d on d.endpoint_id = w.endpoint_id where w.removed_at is not null limit $1) returning 1`;
const REMOVED = `
  delete from webhook_endpoints w where removed_at is not null
    and not exists (select 1 from webhook_deliveries d where d.endpoint_id = w.endpoint_id) returning 1`;

const countOf = (deletes: string) => `with deleted as (${deletes}) select count(*) from deleted`;

/**
 * Deletes reports, ended deliveries, webhook endpoints that were removed, ended mails, approvals that no one decided and events past their days, a bounded number
 * at a time; how many. Rows of the ledger are never deleted. Several replicas may do it at once.
 *
 * @example while ((await deleteOld(database, { reports: 30, deliveries: 90, mails: 90, events: 0 })) > 0);
 */
export async function deleteOld({ query }: Database, days: KeptDays): Promise<number> {
  const all: [kept: number, text: string][] = [
    [days.reports, "select delete_old_reports($1, $2)"],
    [days.deliveries, countOf(DELIVERIES)],
    [days.events, "select cut_events($1, $2)"],
    [days.mails, countOf(MAILS)],
    [days.mails, countOf(APPROVALS)],
  ];
  const steps: [text: string, parameters: number[]][] = [
    ...all.flatMap(([kept, text]): typeof steps => (kept > 0 ? [[text, [kept, AT_ONCE]]] : [])),
    [countOf(OF_REMOVED), [AT_ONCE]],
    [countOf(REMOVED), []],
  ];
  return sumSteps(steps, ([text, parameters]) => query(text, parameters));
}
