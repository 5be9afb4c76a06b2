import type { Queryable } from "../client.ts";
import { readRow, readValues } from "../rows.ts";

// The service holds the money of one rail for builders alone, so that owed sums, payouts and disputes are that rail's.
const OPEN = `select kind from (
  select 'sales of the last 120 days' as kind, exists (select from orders
    where scheme = $1 and updated_at > now() - interval '120 days' and status in ('minted', 'refunded') and price > 0) as is_open
  union all select 'orders', exists (select from orders where scheme = $1 and due_at is not null)
  union all select 'automatic renewals', exists (select from renewals r join delegations d using (delegation_id)
    where d.provider = $2 and r.state = 'on')
  union all select 'refunds', exists (select from refunds where scheme = $1 and amount > 0 and state in ('requested', 'open'))
  union all select 'disputes', exists (select from disputes where status in ('needs_response', 'under_review'))
  union all select 'payouts', exists (select from payouts where state in ('open', 'sent', 'returning'))
  union all select 'sums owed to builders', exists (select from payables group by owner, currency having sum(payable_sign(kind) * amount) > 0)
) kinds where is_open`;

/** Up to so many ids are named. */
const MOST_NAMED = 20;

const LEFT = `select
  (select count(*) from balances b join plan_versions v on v.plan_id = b.plan_id and v.version = b.plan_version
    where v.is_crypto = $1 and b.available + b.held > 0 and (b.expires_at is null or b.expires_at > now()))::int as balances,
  count(*)::int as plans, coalesce((array_agg(p.plan_id::text order by p.created_at))[1:${MOST_NAMED}], '{}') as "planIds"
  from plans p join plan_versions v on v.plan_id = p.plan_id and v.version = p.version
  where v.is_crypto = $1 and p.archived_at is null`;

/** What stays of a rail that is left out: plans that are not archived, and balances with credits. */
export const findLeft = (
  { query }: Queryable,
  { isCrypto }: { isCrypto: boolean },
): Promise<{ plans: number; planIds: string[]; balances: number }> =>
  readRow(query(LEFT, [isCrypto]));

/**
 * What the ledger still needs a rail for that collects money; empty when nothing. A sale can be disputed for about 120 days.
 *
 * @example const kinds = await findOpenOnRail(database, cardTerms);
 */
export const findOpenOnRail = (
  { query }: Queryable,
  { scheme, delegationProvider }: { scheme: string; delegationProvider: string },
): Promise<string[]> => readValues(query(OPEN, [scheme, delegationProvider]));
