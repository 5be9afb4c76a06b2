import { toJson } from "@turnpike/payments/protocol";
import type {
  Bundle,
  MirrorLedger,
  MirrorState,
  SettlementUpdate,
} from "@/lib/domain/chain-ports.ts";
import type { Database } from "../client.ts";
import { readValues } from "../rows.ts";
import { type BundleRow, bundleFromRow } from "./bundle-rows.ts";

const UPDATE_COLUMNS = `u("settlementId" text, status text, transaction text, reason text, "delayMs" float8, "isRefused" boolean)`;

const UPDATES = `jsonb_to_recordset($1::jsonb) as ${UPDATE_COLUMNS}`;

// What the chain says about settlements, written to their rows and to the work that was waiting for it.
const applyUpdates = (updates: string) => `
  marked as (
    update settlements s set transaction = u.transaction, chain_status = u.status
    from ${updates} where s.settlement_id = u."settlementId"
  ), worked as (
    update outbox o set
      state = case u.status when 'pending' then 'open' when 'failed' then 'dead' else 'done' end,
      attempts = o.attempts + case when u."isRefused" then 1 else 0 end,
      due_at = case when u.status = 'pending' then app_now() + u."delayMs" * interval '1 millisecond' else o.due_at end,
      done_at = case when u.status = 'pending' then null else app_now() end,
      last_error = u.reason
    from ${updates} where o.kind = 'chain.burn' and o.ref = u."settlementId"
  )`;

const TAKE_LEASE = `insert into chain_leases (lane, owner, fence, until) values ($1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond')
   on conflict (lane) do update set owner = excluded.owner, until = excluded.until,
     fence = chain_leases.fence + case when chain_leases.owner = excluded.owner then 0 else 1 end
   where chain_leases.owner = excluded.owner or chain_leases.until < clock_timestamp()
   returning fence`;

const WAITING = `select o.ref as "settlementId", o.attempts, s.account, s.plan_id as "planId", s.delegation_id as "delegationId",
     s.amount, p.owner as "planOwner", v.redemption_type as "redemptionType", v.price->>'tokenAddress' as "tokenAddress"
   from (select id, ref, attempts from outbox where kind = 'chain.burn' and state = 'open' and due_at <= app_now()
         order by id limit $1) o
   join settlements s on s.settlement_id = o.ref
   join plans p on p.plan_id = s.plan_id
   join balances b on b.account = s.account and b.plan_id = s.plan_id
   join plan_versions v on v.plan_id = s.plan_id and v.version = b.plan_version
   order by o.id`;

const SAVE_BUNDLE = `with lease as (
     select lane from chain_leases where lane = $3 and owner = $4 and until > clock_timestamp() for update
   ), bundle as (
     insert into chain_bundles (bundle_id, lane, state, burns, transactions, created_at)
     select $2, lane, 'open', $5::jsonb, $6::jsonb, app_now() from lease
     on conflict (bundle_id) do update set transactions = excluded.transactions
     returning bundle_id
   ), burned as (
     insert into chain_burns (settlement_id, bundle_id)
     select u."settlementId", bundle_id from jsonb_to_recordset($1::jsonb) as ${UPDATE_COLUMNS}, bundle
     on conflict (settlement_id) do update set bundle_id = excluded.bundle_id
   ), marked as (
     update settlements s set transaction = u.transaction, chain_status = u.status
     from jsonb_to_recordset($1::jsonb) as ${UPDATE_COLUMNS}, bundle where s.settlement_id = u."settlementId"
   ), worked as (
     update outbox o set state = 'done', done_at = app_now(), last_error = null
     from jsonb_to_recordset($1::jsonb) as ${UPDATE_COLUMNS}, bundle where o.kind = 'chain.burn' and o.ref = u."settlementId"
   ) select bundle_id from bundle`;

const CLOSE = `with bundle as (
     update chain_bundles set state = $3, block = $4, closed_at = app_now() where bundle_id = $2
   ), own as (
     select u.* from ${UPDATES} join chain_burns c on c.settlement_id = u."settlementId" and c.bundle_id = $2
   ), ${applyUpdates("own u")} select 1`;

const REOPEN = `with bundle as (
     update chain_bundles set state = 'open', block = null, closed_at = null where bundle_id = $1
     returning transactions->-1->>'hash' as hash
   ), marked as (
     update settlements s set chain_status = 'submitted', transaction = bundle.hash from chain_burns c, bundle
     where c.bundle_id = $1 and s.settlement_id = c.settlement_id and s.chain_status in ('included', 'failed')
     returning s.settlement_id
   )
   update outbox o set state = 'done', done_at = app_now(), last_error = null
   from marked where o.kind = 'chain.burn' and o.ref = marked.settlement_id and o.state = 'dead'`;

/**
 * The mirror's state, on the ledger's outbox. A burn is open there until a bundle carries it; from then on a restart
 * resumes from the bundle. Every method is one statement, so one transaction.
 */
export function createMirrorLedger(database: Database): MirrorLedger {
  const { query } = database;
  const findStates: MirrorLedger["findStates"] = (settlementIds) =>
    query<MirrorState>(
      `select settlement_id as "settlementId", chain_status as status, transaction from settlements where settlement_id = any($1)`,
      [settlementIds],
    );

  const updateSettlements = async (updates: SettlementUpdate[]) => {
    if (updates.length === 0) return;
    await query(`with ${applyUpdates(UPDATES)} select 1`, [updatesJson(updates)]);
  };

  const listBundles = (condition: string, parameters: unknown[]) =>
    query<BundleRow>(
      `select bundle_id as id, lane, burns, transactions from chain_bundles where ${condition} order by seq`,
      parameters,
    );

  return {
    findStates,
    updateSettlements,
    async takeLease({ lane, owner, ttlMs }) {
      const rows = await query(TAKE_LEASE, [lane, owner, ttlMs]);
      return rows.length > 0;
    },
    async releaseLease({ lane, owner }) {
      await query("delete from chain_leases where lane = $1 and owner = $2", [lane, owner]);
    },
    listWaiting: ({ limit }) => query(WAITING, [limit]),
    listUnreadable: () =>
      readValues(
        query(`select distinct last_error from outbox
          where kind = 'chain.burn' and state = 'open' and last_error like 'KeyUnreadable: %' order by 1`),
      ),
    async saveBundle({ bundle, owner }) {
      const saved = await query(SAVE_BUNDLE, [
        submittedJson(bundle),
        bundle.id,
        bundle.lane,
        owner,
        toJson(bundle.burns),
        JSON.stringify(bundle.transactions),
      ]);
      if (saved.length === 0) throw new Error(`The lease of lane "${bundle.lane}" is gone.`);
    },
    listOpenBundles: async ({ lane }) =>
      (await listBundles("lane = $1 and state = 'open'", [lane])).map(bundleFromRow),
    async closeBundle({ bundleId, block, updates }) {
      const state = updates.some(isInBlock) ? "closed" : "final";
      await query(CLOSE, [updatesJson(updates), bundleId, state, block.toString()]);
    },
    async listUnfinalBundles({ lane, limit }) {
      const rows = await query<BundleRow & { block: number }>(
        `select bundle_id as id, lane, block, burns, transactions from chain_bundles
         where lane = $1 and state = 'closed' order by seq limit $2`,
        [lane, limit],
      );
      return rows.map((row) => ({ ...bundleFromRow(row), block: BigInt(row.block) }));
    },
    async finalizeBundle(bundleId) {
      await query(
        `with bundle as (update chain_bundles set state = 'final' where bundle_id = $1)
         update settlements s set chain_status = 'final' from chain_burns c
         where c.bundle_id = $1 and s.settlement_id = c.settlement_id and s.chain_status = 'included'`,
        [bundleId],
      );
    },
    async reopenBundle(bundleId) {
      await query(REOPEN, [bundleId]);
    },
  };
}

/** Whether a settlement's outcome is a block's, which the chain may still drop. */
const isInBlock = ({ status }: SettlementUpdate) => status === "included" || status === "failed";

/** Times are counted from now on, because the store's clock may run ahead of this machine's. */
const updatesJson = (updates: SettlementUpdate[]): string =>
  JSON.stringify(
    updates.map(({ settlementId, status, transaction, reason, retryAt, isRefused = false }) => ({
      settlementId,
      status,
      transaction,
      reason: reason ?? null,
      delayMs: retryAt === undefined ? 0 : Math.max(0, retryAt - Date.now()),
      isRefused,
    })),
  );

const submittedJson = (bundle: Bundle): string => {
  const transaction = bundle.transactions.at(-1)?.hash ?? "";
  return updatesJson(
    bundle.burns.flatMap(({ settlements }) =>
      settlements.map(({ settlementId }) => ({ settlementId, status: "submitted", transaction })),
    ),
  );
};
