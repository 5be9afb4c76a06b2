import { chargedAt } from "../order-rows.ts";

/** The time of a row of payables: what a sale brought and its fee have the order's, as its invoice and Earnings do. */
export const bookedAt = (row: string, order: string): string =>
  `case when ${row}.kind in ('earned', 'fee') then ${chargedAt(order)} else ${row}.created_at end`;

const ZERO = "0x0000000000000000000000000000000000000000";

/** Rows of payables `y` that can be booked at a time or later: none is written more than a day of clocks before its order was charged. */
export const writtenSince = (at: string): string => `y.created_at >= ${at} - interval '1 day'`;

/** Orders that an account paid on chain in a token, with their plans. $1 the account, $2 the token. */
export const SPENT = `
  from orders o join chain_orders c on c.order_id = o.order_id and c.state = 'paid' join plans p on p.plan_id = o.plan_id
    join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
  where o.account = $1 and lower(v.price->>'tokenAddress') = lower($2)`;

/** What an account paid on chain, as `movesOf` has it. */
export const SPENDING = `
  select 'out-' || a.payment_id, a.kind, coalesce(a.closed_at, a.created_at), 'usdc', -a.amount, a.state = 'open', r.order_id, r.plan_id, r.scheme, a.recipient,
    a.tx_hash, coalesce(a.tx_hash, a.sent->>'hash')
  from account_payments a left join refunds r on r.refund_id = a.payment_id where a.account = $1 and a.token = $2 and a.state <> 'refused'
  union all
  select 'spent-' || o.order_id, 'order', ${chargedAt("o")}, 'usdc', -o.price, false, o.order_id, o.plan_id, o.scheme, p.owner,
    o.reference, o.reference ${SPENT}`;

/**
 * What came and went of an account's money, for its movements and its statements: `is_open` until the outcome is known, and for
 * a payout, which has left the balance, until it has arrived.
 * `party` is who paid or was paid. $1 the account, $2 the stablecoin's token. `isNear` limits the deposits `d` whose cause is
 * looked up: the others are dated by their block. `isRecent` limits the rows `y` of payables.
 */
export const movesOf = (isNear = "true", isRecent = "true"): string => `
  select 'card-' || lpad(y.id::text, 18, '0') as id, case y.kind when 'earned' then 'sale' when 'fee' then 'fee' when 'refunded' then 'refund'
      when 'reversed' then 'chargeback' when 'restored' then case when f.refund_id is null then 'chargeback-won' else 'refund-failed' end
      when 'paid-out' then 'payout' else case when f.refund_id is null then 'payout-returned' else 'transfer-returned' end end as kind,
    ${bookedAt("y", "o")} as at, y.currency, payable_sign(y.kind) * y.amount as amount,
    y.kind = 'paid-out' and coalesce(z.state in ('open', 'sent', 'returning'), false) as is_open, o.order_id, o.plan_id, o.scheme,
    o.account as party, coalesce(y.payout_id, y.reference) as reference, null as tx
  from payables y left join orders o on o.order_id = y.order_id left join refunds f on f.refund_id = y.reference
    left join payouts z on z.payout_id = y.payout_id where y.owner = $1 and ${isRecent}
  union all
  select 'in-' || d.tx_hash || '-' || lpad(d.log_index::text, 6, '0'), coalesce(o.kind, case d.sender when '${ZERO}' then 'test-funds' else 'deposit' end),
    coalesce(o.at, d.created_at), 'usdc', d.amount, false, o.order_id, o.plan_id, o.scheme, case when d.sender <> '${ZERO}' then d.sender end, d.tx_hash, d.tx_hash
  from deposits d left join lateral (select c.* from cause_of_deposit(d) c where ${isNear} offset 0) o on true where d.account = $1 and d.token = $2
  union all ${SPENDING}`;
