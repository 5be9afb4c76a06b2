import type { ChainAsks } from "@/lib/domain/chain-ports.ts";
import type { Database } from "../client.ts";
import { listSettlers } from "./settlers.ts";

/** What the ledger asked the chain for. It is always written before the chain is asked. */
export function createChainAsks({ query }: Database): ChainAsks {
  return {
    listSettlers: () => listSettlers({ query }),
    async findPlan(planId) {
      const [row] = await query<{ owner: string; version: number }>(
        `select p.owner, max(v.version) as version from plans p join plan_versions v on v.plan_id = p.plan_id
         where p.plan_id = $1 group by p.owner`,
        [planId],
      );
      return row ?? null;
    },
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
    async hasBurn({ root, holder, block, transaction }) {
      // A reorganization moves a transaction to another block. By the block are found those that someone else included.
      const rows = await query(
        `select 1 from chain_bundles u cross join lateral jsonb_array_elements(u.burns) burn
         where (u.state = 'open' or u.block = $3::bigint or u.transactions @> $4::jsonb)
           and burn->>'root' = $1 and burn->>'holder' = $2 limit 1`,
        [root, holder, block.toString(), JSON.stringify([{ hash: transaction }])],
      );
      return rows.length > 0;
    },
  };
}
