import { toJson } from "@turnpike/payments/protocol";
import type { ChainFindings } from "@/lib/domain/finding-ports.ts";
import type { Database } from "../client.ts";
import { readValue, readValues } from "../rows.ts";

const COLUMNS = `finding_id as "findingId", block::numeric as block, transaction, kind, state, detail, account, plan_id as "planId", credits`;

/** The note of what the chain dropped; a person's explanation follows it, or comes before. */
const DROPPED = "No longer on chain.";
const IS_DROPPED = `coalesce(note, '') like '%${DROPPED}%'`;

// Kept beside what was noted before.
const NOTE = "concat_ws(' ', note, $3::text)";

// An event's place in its block changes when the chain moves its transaction: what was found at another place is no longer there.
const SAVE = `with given as (
    select * from jsonb_to_recordset($2::jsonb) as f("findingId" text, block bigint, transaction text, kind text, state text,
      detail text, account text, "planId" text, credits numeric)
  ), gone as (
    delete from chain_findings c using given f
    where c.contract = $1 and c.transaction = f.transaction and c.kind = f.kind and c.credits = f.credits
      and c.account is not distinct from f.account and c.plan_id is not distinct from f."planId" and c.state <> 'explained'
      and c.finding_id not in (select "findingId" from given)
  ), found as (
    insert into chain_findings (finding_id, contract, block, transaction, kind, state, detail, account, plan_id, credits, found_at)
    select f."findingId", $1, f.block, f.transaction, f.kind, f.state, f.detail, f.account, f."planId", f.credits, app_now()
    from given f
    on conflict (finding_id) do update
    set block = excluded.block, state = excluded.state, credits = excluded.credits, found_at = excluded.found_at, note = null,
      explained_at = null
    where coalesce(chain_findings.note, '') like '%${DROPPED}%'
    returning finding_id
  ), moved as (
    insert into chain_cursors (contract, block) values ($1, $3)
    on conflict (contract) do update set block = greatest(chain_cursors.block, excluded.block)
  ) select finding_id from found`;

const SUM_EXPLAINED = `select coalesce(sum(f.credits), 0)
  from unnest($2::text[], $3::text[]) with ordinality as b(account, plan_id, n)
  left join chain_findings f on f.contract = $1 and f.account = b.account and f.plan_id = b.plan_id and f.block <= $4
    and f.state <> 'open'
  group by b.n order by b.n`;

/** What was found among the events of one deployment; `contract` is its `Plans`. */
export function createChainFindings({ query }: Database, contract: string): ChainFindings {
  return {
    async readCursor() {
      const cursor = "select block::numeric from chain_cursors where contract = $1";
      return (await readValue<bigint>(query(cursor, [contract]))) ?? null;
    },
    async save(findings, cursor) {
      const found = [contract, toJson(findings), cursor.toString()];
      const isNew = new Set(await readValues<string>(query(SAVE, found)));
      return findings.filter(({ findingId }) => isNew.has(findingId));
    },
    listIn: ({ fromBlock, toBlock }) =>
      query(
        `select ${COLUMNS} from chain_findings where contract = $1 and chain_findings.block between $2 and $3 and not ${IS_DROPPED}`,
        [contract, fromBlock.toString(), toBlock.toString()],
      ),
    async drop(findingIds) {
      await query(
        `update chain_findings set credits = 0, note = ${NOTE}, state = case state when 'open' then 'open' else 'explained' end,
           explained_at = case state when 'open' then null else coalesce(explained_at, app_now()) end
         where contract = $1 and finding_id = any($2) and not ${IS_DROPPED}`,
        [contract, findingIds, DROPPED],
      );
    },
    async countOpen() {
      const open = "select count(*) from chain_findings where contract = $1 and state = 'open'";
      return (await readValue<number>(query(open, [contract]))) ?? 0;
    },
    listOpen: () =>
      query(
        `select ${COLUMNS} from chain_findings where contract = $1 and state = 'open' order by chain_findings.block, finding_id`,
        [contract],
      ),
    async explain(findingId, note) {
      const rows = await query(
        `update chain_findings set state = 'explained', note = ${NOTE}, explained_at = app_now()
         where contract = $1 and state = 'open' and finding_id = $2 returning finding_id`,
        [contract, findingId, note],
      );
      return rows.length;
    },
    async close(findingId, note) {
      await query(
        `update chain_findings set state = 'explained', credits = 0, note = $3, explained_at = app_now()
         where contract = $1 and finding_id = $2`,
        [contract, findingId, note],
      );
    },
    sumExplained: (balances, block) =>
      readValues(
        query(SUM_EXPLAINED, [
          contract,
          balances.map(({ account }) => account),
          balances.map(({ planId }) => planId.toString()),
          block.toString(),
        ]),
      ),
  };
}
