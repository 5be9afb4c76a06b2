import type { Subscriber } from "@turnpike/payments/protocol";
import { and, asc, count, eq, exists, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Plans } from "@/lib/domain/ports.ts";
import type { AuditNote, PlanRecord } from "@/lib/domain/records.ts";
import { audited, auditedIf } from "./audit.ts";
import { type Orm, rowsOf } from "./client.ts";
import { databaseError } from "./faults.ts";
import { isTestPayer } from "./figures/test-payers.ts";
import { chargedAt } from "./order-rows.ts";
import { extentOf, inPage, pageOf, readPage } from "./paging.ts";
import { fromPlanRow, selectPlans } from "./plan-rows.ts";
import { isAsRead, matches, readValue } from "./rows.ts";
import {
  agentPlans,
  balances,
  orders,
  planRedeemers,
  plans,
  planVersions,
  transfers,
} from "./schema.ts";

const IS_ORDERED_VERSION = and(
  eq(planVersions.planId, balances.planId),
  eq(planVersions.version, balances.planVersion),
);

/** Strangers are shown no paid plans of the rails that are `leftOut`, on chain or not. */
export function createPlans(orm: Orm, leftOut: readonly boolean[]): Plans {
  const isSold = leftOut.length > 0 ? isCharged(leftOut) : undefined;
  const list = (where: SQL | undefined, query: Parameters<Plans["listByOwner"]>[1]) =>
    readPage({
      orm,
      from: plans,
      where,
      id: "planId",
      query,
      read: async (page) => (await inPage(selectPlans(orm), page)).map(fromPlanRow),
    });

  const findOne = async (where: SQL | undefined) => {
    const [row] = await selectPlans(orm).where(where);
    return row ? fromPlanRow(row) : null;
  };

  return {
    find: (planId) => findOne(eq(plans.planId, planId)),
    findByNonce: (owner, nonce) => findOne(matches(plans, { owner, nonce })),
    listByOwner: (owner, query) => list(eq(plans.owner, owner), query),
    listPublic: (query, search) =>
      list(and(isOnExplore, isSold, search ? matchesText(search) : undefined), query),
    listByAgent: (agentId, query, isOwner) => {
      const linked = orm
        .select({ planId: agentPlans.planId })
        .from(agentPlans)
        .where(and(eq(agentPlans.agentId, agentId), eq(agentPlans.planId, plans.planId)));
      return list(and(exists(linked), isOwner ? undefined : and(isListed, isSold)), query);
    },
    async listListed(planIds) {
      const isAsked = inArray(plans.planId, [...new Set(planIds)]);
      return (await selectPlans(orm).where(and(isAsked, isListed, isSold))).map(fromPlanRow);
    },
    insert: (plan, note) => audited(orm, note, (transaction) => insertPlan(transaction, plan)),
    update: (...change) => updatePlan(orm, ...change),
    delete: (planId, note) => deletePlan(orm, planId, note),
    async hasAgent(planId) {
      return (
        (await readValue<boolean>(rowsOf(orm, sql`select ${hasAgent(sql`${planId}`)}`))) ?? false
      );
    },
    async balance(planId, account) {
      const [row] = await orm
        .select({
          available: balances.available,
          held: balances.held,
          debt: balances.debt,
          expiresAt: balances.expiresAt,
          holderRequired: planVersions.holderRequired,
          orders: sql<string>`(select count(*) from orders o where o.plan_id = ${planId} and o.account = ${account} and o.status = 'minted')`,
        })
        .from(balances)
        .innerJoin(planVersions, IS_ORDERED_VERSION)
        .where(matches(balances, { planId, account }));
      return row ? { ...row, orders: Number(row.orders) } : null;
    },
    async listSubscribers(planId, query) {
      const { limit, offset } = extentOf(query);
      const where = and(
        eq(balances.planId, planId),
        // Of a wallet whose payment was reserved and not taken there is a balance, too.
        gt(balances.seq, 0),
        query.includeTest ? undefined : sql.raw(`not ${isTestPayer("balances.account")}`),
      );
      const found = await readSubscribers(orm, planId, {
        where: and(where, query.cursor ? gt(balances.account, query.cursor) : undefined),
        limit: limit + 1,
        offset,
      });
      const total = await orm.$count(balances, where);
      return pageOf(found, { limit, total, cursorOf: ({ address }) => address });
    },
  };
}

/** Writes a plan as it was changed from what was read; false when another change came between. */
const updatePlan = (orm: Orm, ...[read, plan, note]: Parameters<Plans["update"]>) =>
  auditedIf(orm, note, async (transaction) => {
    const { planId, createdAt: _, ...changed } = plan;
    const [written] = await transaction
      .update(plans)
      .set(changed)
      .where(and(eq(plans.planId, planId), isAsRead(plans.updatedAt, read.updatedAt)))
      .returning({ planId: plans.planId });
    if (!written) return false;
    if (plan.version > read.version)
      await transaction.insert(planVersions).values(versionRow(plan));
    await transaction.delete(planRedeemers).where(eq(planRedeemers.planId, planId));
    await insertRedeemers(transaction, plan);
    return true;
  });

/** Other rows name the one to be deleted. */
const FOREIGN_KEY_VIOLATION = "23503";

/** Orders, balances and tokens name their plan, so that the database refuses for each of them. */
async function deletePlan(orm: Orm, planId: string, note: AuditNote): Promise<boolean> {
  try {
    await audited(orm, note, async (transaction) => {
      for (const part of [agentPlans, planRedeemers, planVersions, plans])
        await transaction.delete(part).where(eq(part.planId, planId));
    });
    return true;
  } catch (cause) {
    if (databaseError(cause, FOREIGN_KEY_VIOLATION)) return false;
    throw cause;
  }
}

/** Writes a plan with its first version; part of the caller's transaction. */
export async function insertPlan(transaction: Orm, plan: PlanRecord): Promise<void> {
  await transaction.insert(plans).values(plan);
  await transaction.insert(planVersions).values(versionRow(plan));
  await insertRedeemers(transaction, plan);
}

async function insertRedeemers(transaction: Orm, { planId, redeemers }: PlanRecord): Promise<void> {
  if (redeemers.length === 0) return;
  await transaction.insert(planRedeemers).values(redeemers.map((account) => ({ planId, account })));
}

const versionRow = ({ planId, version, price, credits, metadata, updatedAt }: PlanRecord) => ({
  planId,
  version,
  refundUnusedDays: metadata.refundUnusedDays ?? 0,
  refundFailedCalls: metadata.refundFailedCalls ?? false,
  price: { ...price, amounts: price.amounts.map(String) },
  isCrypto: price.isCrypto,
  granted: BigInt(credits.amount),
  minAmount: credits.minAmount,
  maxAmount: credits.maxAmount,
  isFixed: credits.isRedemptionAmountFixed,
  redemptionType: credits.redemptionType,
  proofRequired: credits.proofRequired,
  holderRequired: credits.holderRequired,
  durationSecs: credits.durationSecs,
  nftAddress: credits.nftAddress ?? null,
  createdAt: updatedAt,
});

const hasAgent = (
  planId: SQL,
): SQL => sql`exists (select 1 from agent_plans l join agents a on a.agent_id = l.agent_id
  where l.plan_id = ${planId} and a.archived_at is null and jsonb_array_length(a.endpoints) > 0)`;

const isListed = and(eq(plans.state, "listed"), isNull(plans.archivedAt));

const isCharged = (
  leftOut: readonly boolean[],
): SQL => sql`not exists (select 1 from plan_versions v
  where v.plan_id = ${plans}.plan_id and v.version = ${plans}.version and ${inArray(sql`v.is_crypto`, [...leftOut])}
    and exists (select 1 from jsonb_array_elements_text(v.price->'amounts') a where a <> '0'))`;

const isOnExplore = and(isListed, hasAgent(sql`${plans}.plan_id`));

function matchesText(search: string): SQL {
  const pattern = `%${search.replace(/[\\%_]/g, "\\$&")}%`;
  return sql`(${plans.metadata}->>'name' ilike ${pattern} or ${plans.metadata}->>'description' ilike ${pattern})`;
}

/** A page of a plan's subscribers by address; `after` is the last address of the page before. */
async function readSubscribers(
  orm: Orm,
  planId: string,
  { where, limit, offset }: { where: SQL | undefined; limit: number; offset: number },
): Promise<Subscriber[]> {
  const rows = await orm
    .select({
      address: balances.account,
      balance: sql<string>`${balances.available} + ${balances.held}`,
      held: balances.held,
    })
    .from(balances)
    .where(where)
    .orderBy(asc(balances.account))
    .limit(limit)
    .offset(offset);
  const addresses = rows.map(({ address }) => address);
  const charged = sql.raw(chargedAt("orders"));
  if (addresses.length === 0) return [];
  const bought = await orm
    .select({
      address: orders.account,
      orders: count(),
      first: sql<string>`min(${charged})`,
      last: sql<string>`max(${charged})`,
    })
    .from(orders)
    .where(
      and(
        eq(orders.planId, planId),
        inArray(orders.status, ["minted", "refunded"]),
        inArray(orders.account, addresses),
      ),
    )
    .groupBy(orders.account);
  const used = await orm
    .select({ address: transfers.account, credits: sql<string>`sum(${transfers.amount})` })
    .from(transfers)
    .where(
      and(
        eq(transfers.planId, planId),
        inArray(transfers.kind, ["burn", "post"]),
        inArray(transfers.account, addresses),
      ),
    )
    .groupBy(transfers.account);
  return rows.map((row) => {
    const purchases = bought.find(({ address }) => address === row.address);
    return {
      address: row.address,
      balance: BigInt(row.balance),
      held: row.held,
      orders: purchases?.orders ?? 0,
      creditsUsed: BigInt(used.find(({ address }) => address === row.address)?.credits ?? 0),
      firstOrderAt: new Date(purchases?.first ?? 0).toISOString(),
      lastOrderAt: new Date(purchases?.last ?? 0).toISOString(),
    };
  });
}
