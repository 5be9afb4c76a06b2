import type { Queryable } from "../client.ts";
import { readValues } from "../rows.ts";

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

/**
 * What the ledger still needs a rail for that collects money; empty when nothing. A sale can be disputed for about 120 days.
 *
 * @example const kinds = await findOpenOnRail(database, cardTerms);
 */
export const findOpenOnRail = (
  { query }: Queryable,
  { scheme, delegationProvider }: { scheme: string; delegationProvider: string },
): Promise<string[]> => readValues(query(OPEN, [scheme, delegationProvider]));
