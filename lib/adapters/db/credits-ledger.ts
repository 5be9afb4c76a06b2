import type { CreditsLedger, LedgerBalance, LedgerMovements } from "@/lib/domain/chain-ports.ts";
import type { Database } from "./client.ts";
import { readRow, readValues } from "./rows.ts";

// What the ledger has burned and the chain at block $1 has not: burns in no bundle, bundles that are under way or were
// included later, and burns that failed in a block which the chain may still drop. One statement, so one moment of the ledger.
// A page is the balances of a range of accounts, and nothing of others is summed for it.
const BALANCES = `
  with page as materialized (
    select b.account, b.plan_id, b.available + b.held as balance from balances b
    join plans p on p.plan_id = b.plan_id and p.access_limit = 'credits'
    join plan_versions v on v.plan_id = b.plan_id and v.version = b.plan_version and v.is_crypto
    where (b.account, b.plan_id) > ($2, $3)
      and exists (select 1 from jsonb_array_elements_text(v.price->'amounts') part where part::numeric > 0)
      -- A wallet without an account buys credits in the ledger alone.
      and (select a.owner from accounts a where a.address = b.account) is distinct from b.account
      and (b.account, b.plan_id) not in (select account, plan_id from orders where due_at is not null and status in ('reserved', 'charging'))
    order by b.account, b.plan_id limit $4
  ), waiting as materialized (
    select o.payload->>'account' as account, o.payload->>'planId' as plan_id, (o.payload->>'amount')::numeric as burned, 0 as minted
    from outbox o where o.kind = 'chain.burn' and o.state = 'open'
    union all
    select s.account, s.plan_id, s.amount, 0
    from chain_bundles u join chain_burns c on c.bundle_id = u.bundle_id join settlements s on s.settlement_id = c.settlement_id
    where (u.state = 'open' or u.block > $1::bigint) and s.chain_status in ('submitted', 'included', 'final')
    union all
    select s.account, s.plan_id, s.amount, 0
    from chain_bundles u join chain_burns c on c.bundle_id = u.bundle_id join settlements s on s.settlement_id = c.settlement_id
      join outbox o on o.kind = 'chain.burn' and o.ref = s.settlement_id and o.state = 'dead'
    where u.state <> 'final' and s.chain_status = 'failed'
    union all
    select o.account, o.plan_id, 0, v.granted
    from chain_orders c join orders o on o.order_id = c.order_id
      join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
    where c.block > $1::bigint and o.status in ('minted', 'refunded')
  ), refunded as (
    select r.account, r.plan_id, json_agg(json_build_object('refundId', r.refund_id, 'credits', r.credits::text, 'isPaid', r.state = 'paid')) as refunds
    from refunds r cross join lateral (select 1 from chain_orders c where c.order_id = r.order_id and c.state = 'paid' limit 1) c
    where r.account between $2 and (select max(account) from page) and r.state in ('open', 'paid') and r.credits > 0 group by 1, 2
  ), pending as (
    select account, plan_id, sum(burned) as burned, sum(minted) as minted from waiting
    where account between $2 and (select max(account) from page) group by account, plan_id
  )
  select b.account, b.plan_id::numeric as "planId", b.balance,
    coalesce(w.minted, 0) as "pendingMints", coalesce(w.burned, 0) as "pendingBurns", r.refunds
  from page b
  left join pending w on w.account = b.account and w.plan_id = b.plan_id
  left join refunded r on r.account = b.account and r.plan_id = b.plan_id
  order by b.account, b.plan_id`;

const MOVEMENTS = `
  select coalesce(sum(amount) filter (where kind = 'mint'), 0) as minted,
    coalesce(sum(amount) filter (where kind in ('post', 'burn')), 0) as burned,
    coalesce(sum(case kind when 'refund' then amount when 'restore' then -amount end), 0) as "takenBack",
    coalesce(sum(amount) filter (where kind = 'expire'), 0) as expired
  from transfers where account = $1 and plan_id = $2`;

type BalanceRow = Omit<LedgerBalance, "refunds"> & {
  refunds: { refundId: string; credits: string; isPaid: boolean }[] | null;
};

/** The ledger as the reconciler reads it. */
export function createCreditsLedger({ query }: Database): CreditsLedger {
  return {
    listOpenBundles: (among) =>
      readValues(
        query(
          "select bundle_id from chain_bundles where state = 'open' and ($1::text[] is null or bundle_id = any($1))",
          [among ?? null],
        ),
      ),
    async listBalances({ block, after, limit }) {
      const from = [after?.account ?? "", after?.planId.toString() ?? ""];
      const rows = await query<BalanceRow>(BALANCES, [block.toString(), ...from, limit]);
      return rows.map(({ refunds, ...row }) => ({
        ...row,
        refunds: refunds?.map((refund) => ({ ...refund, credits: BigInt(refund.credits) })) ?? [],
      }));
    },
    listFailedBurns: ({ account, planId }) =>
      query(
        `select s.settlement_id as "settlementId", s.amount from settlements s
         join outbox o on o.kind = 'chain.burn' and o.ref = s.settlement_id and o.state = 'dead'
         where s.account = $1 and s.plan_id = $2 and s.chain_status = 'failed'
           and not exists (select 1 from chain_burns c join chain_bundles u on u.bundle_id = c.bundle_id and u.state <> 'final'
             where c.settlement_id = s.settlement_id)
         order by o.id`,
        [account, planId.toString()],
      ),
    async markMadeUp(settlementId) {
      await query(
        "update outbox set state = 'done', done_at = app_now() where kind = 'chain.burn' and ref = $1 and state = 'dead'",
        [settlementId],
      );
    },
    readMovements: ({ account, planId }) =>
      readRow(query<LedgerMovements>(MOVEMENTS, [account, planId.toString()])),
  };
}
