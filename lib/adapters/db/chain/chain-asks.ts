import type { ChainAsks } from "@/lib/domain/chain-ports.ts";
import type { Database } from "../client.ts";
import { readFirst } from "../rows.ts";
import { listSettlers } from "./settlers.ts";

/** What the ledger asked the chain for. It is always written before the chain is asked. */
export function createChainAsks({ query }: Database): ChainAsks {
  return {
    listSettlers: () => listSettlers({ query }),
    findPlan: (planId) =>
      readFirst(
        query(
          `select p.owner, max(v.version) as version from plans p join plan_versions v on v.plan_id = p.plan_id
           where p.plan_id = $1 group by p.owner`,
          [planId],
        ),
      ),
    async findOrder({ account, planId, version, transaction }) {
      const rows = await query<{ reference: string | null }>(
        `select reference from orders where account = $1 and plan_id = $2 and plan_version = $3
           and (reference = $4 or status in ('reserved', 'charging'))`,
        [account, planId, version, transaction],
      );
      if (rows.some(({ reference }) => reference === transaction)) return "paid";
      return rows.length > 0 ? "under-way" : null;
    },
    listTakeBacks: ({ account, planId }) =>
      query(
        `select 'settlement:' || settlement_id as cause, amount from settlements
         where account = $1 and plan_id = $2 and chain_status = 'failed'
         union all
         select 'refund:' || refund_id, credits from refunds where account = $1 and plan_id = $2 and state = 'paid'`,
        [account, planId],
      ),
    async findBurn({ holder, planId, amount, count, root, block, transaction }) {
      const burn = { holder, root, planId: `${planId}`, amount: `${amount}`, count: `${count}` };
      // A reorganization moves a transaction to another block, and what failed may pass there until that is final. By the
      // block are found those that someone else included.
      const rows = await query<{ outcome: "included" | "failed" | "under-way" }>(
        `select case when u.state = 'open' or u.state = 'closed' and s.chain_status = 'failed' then 'under-way'
           when s.chain_status = 'failed' then 'failed' else 'included' end as outcome
         from chain_bundles u cross join lateral jsonb_array_elements(u.burns) burn
           join settlements s on s.settlement_id = burn->'settlements'->0->>'settlementId'
         where (u.state = 'open' or u.block = $1::bigint or u.transactions @> $2::jsonb) and burn @> $3::jsonb
           and (u.state = 'open' or s.transaction = $4 or u.transactions @> $2::jsonb)`,
        [
          block.toString(),
          JSON.stringify([{ hash: transaction }]),
          JSON.stringify(burn),
          transaction,
        ],
      );
      const outcomes = rows.map(({ outcome }) => outcome);
      return (
        (["included", "under-way", "failed"] as const).find((one) => outcomes.includes(one)) ?? null
      );
    },
  };
}
