import type { DelegationSums, Holdings } from "@/lib/domain/figures/holdings-ports.ts";
import type { Database } from "../client.ts";
import { chargedAt } from "../order-rows.ts";
import { readRow } from "../rows.ts";

/** Delegations that are neither revoked nor expired. $1 account, $2 now. `statusOf` in the domain says the same. */
const OPEN = `
  select d.delegation_id as id, d.name, d.provider, d.currency, d.created_at, d.expires_at, d.reserved_cents as reserved,
    d.spending_limit_cents as money_limit, d.spent_cents + d.reserved_cents as money_used,
    d.max_transactions as charge_limit, d.transaction_count as charges, d.sign_before is not null as is_unsigned,
    d.sign_before is null and (d.spending_limit_cents = 0 or d.spent_cents + d.reserved_cents < d.spending_limit_cents)
      and d.transaction_count < coalesce(d.max_transactions, d.transaction_count + 1) as is_active
  from delegations d where d.account = $1 and d.revoked_at is null and d.expires_at > $2::timestamptz
    and coalesce(d.sign_before > $2::timestamptz, true)`;

const IS_LIVE_TOKEN =
  "t.revoked_at is null and t.expires_at > $2::timestamptz and t.redeemed < t.redemption_limit";

const COUNTS = `
  with open as (${OPEN})
  select (select count(*) from delegations where account = $1) as total, count(*) as open,
    count(*) filter (where is_active) as active, min(expires_at) filter (where is_active) as "firstExpiresAt",
    (select count(*) from tokens t where t.account = $1 and ${IS_LIVE_TOKEN}) as "activeTokens"
  from open`;

const LIMITS = `
  select provider, budget_currency(currency) as currency, sum(money_limit - money_used) as remaining, sum(reserved) as reserved,
    count(*) filter (where reserved > 0) as reserving
  from (${OPEN}) open where is_active group by 1, 2 order by 1, 2`;

/** Orders, less what went back of them, and transfers to sellers of other services, which are counted in the stablecoin of the rail on chain. */
const SPENT = `
  with charges as (
    select scheme, currency, price - reversed_amount - coalesce(back.amount, 0) as price, ${chargedAt("orders")} as at from orders
    left join (select order_id, sum(amount) as amount from refunds where account = $1 and state in ('open', 'paid') group by 1) back using (order_id)
    where account = $1 and delegation_id is not null and status = 'minted' and price > 0
    union all
    select 'svc:erc4337', 'usd', amount, coalesce(closed_at, created_at) from account_payments
    where account = $1 and delegation_id is not null and kind = 'exact' and state = 'paid'
  )
  select scheme, currency, count(*) filter (where at >= $2::timestamptz - interval '30 days') as orders,
    coalesce(sum(price) filter (where at >= $2::timestamptz - interval '30 days'), 0) as amount,
    coalesce(sum(price) filter (where at < $2::timestamptz - interval '30 days'), 0) as previous
  from charges where at >= $2::timestamptz - interval '60 days' group by 1, 2 order by 1, 2`;

/** Shares of what was promised, never days alone: the last 15 % of a life, at most 7 days; 80 % of money or charges. */
const ALERTS = `
  with open as (${OPEN}), near as (
    select open.*, kind, percent from open
    cross join lateral (select extract(epoch from $2::timestamptz - created_at) * 100 / extract(epoch from expires_at - created_at) as life) l
    cross join lateral (values
      ('signature', is_unsigned, life),
      ('time', is_active and life >= 85 and expires_at - $2::timestamptz <= interval '7 days', life),
      ('money', is_active and money_used * 100 >= money_limit * 80 and money_limit > 0, money_used * 100 / nullif(money_limit, 0)),
      ('charges', is_active and charge_limit > 1 and charges * 100 >= charge_limit * 80, charges * 100.0 / nullif(charge_limit, 0))
    ) k(kind, is_near, percent) where is_near
  ), ending as (
    select t.jti, p.metadata->>'name' as plan, count(*) over () as n, row_number() over (order by t.issued_at desc, t.jti) as rank
    from near join tokens t on t.delegation_id = near.id and ${IS_LIVE_TOKEN}
      and t.expires_at > near.expires_at - interval '1 second' join plans p on p.plan_id = t.plan_id
    where kind = 'time'
  )
  select kind, id as "delegationId", name, expires_at as "expiresAt", floor(percent)::bigint as "usedPercent", count,
    coalesce((select max(n) from ending), 0) as "tokensEnding",
    coalesce((select json_agg(json_build_object('tokenId', jti, 'planName', plan) order by rank) from ending where rank <= 3), '[]') as tokens
  from (select near.*, count(*) over (partition by kind), row_number() over (partition by kind order by expires_at, id) as rank from near) ranked
  where rank <= 3 order by kind, rank`;

/** Sums over all delegations of an account, and what needs its owner's attention. */
export const createDelegationTotals = ({ query }: Database): Pick<Holdings, "delegationSums"> => ({
  async delegationSums(account, now) {
    const of = [account, now.toISOString()];
    const [counts, limits, spent, alerts] = await Promise.all([
      readRow(query<DelegationSums["counts"]>(COUNTS, of)),
      query<DelegationSums["limits"][number]>(LIMITS, of),
      query<DelegationSums["spent"][number]>(SPENT, of),
      query<DelegationSums["alerts"][number]>(ALERTS, of),
    ]);
    return { counts, limits, spent, alerts };
  },
});
