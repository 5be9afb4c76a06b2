import { and, eq, isNull, sql } from "drizzle-orm";
import type { ChainOrders, PlanVersion } from "@/lib/domain/chain-ports.ts";
import { databaseNow } from "../audit.ts";
import type { Database, Orm } from "../client.ts";
import { chargedAt } from "../order-rows.ts";
import { fromPlanRow } from "../plan-rows.ts";
import { findRow, matches, readRow } from "../rows.ts";
import { chainOrders, plans, planVersions } from "../schema.ts";

// Two reads, so that each uses its own index: the one of a plan's orders has the time of the charge. A plan's failed orders count
// for their accounts only: strangers would use up its gas for nothing.
const GAS =
  "coalesce(sum(greatest(c.gas, $3)) filter (where c.gas is not null or c.state = 'open'), 0)::float8";
const GAS_OF_DAY = `select
  (select ${GAS} from orders o join chain_orders c on c.order_id = o.order_id
   where o.account = $1 and o.created_at > app_now() - interval '1 day') as "byAccount",
  (select ${GAS} from orders o join chain_orders c on c.order_id = o.order_id
   where o.plan_id = $2 and c.state <> 'refused' and ${chargedAt("o")} > app_now() - interval '1 day') as "ofPlan"`;

const isOpen = (orderId: string) => matches(chainOrders, { orderId, state: "open" });

export function createChainOrders({ orm, query }: Database): ChainOrders {
  const find: ChainOrders["find"] = async (orderId) => {
    const row = await findRow(orm, chainOrders, { orderId });
    return row?.grantId ? { ...row, grantId: row.grantId } : null;
  };
  const end = async (orderId: string, outcome: Partial<typeof chainOrders.$inferInsert>) => {
    await orm.update(chainOrders).set(outcome).where(eq(chainOrders.orderId, orderId));
  };
  return {
    find,
    async writePaid({ orderId, total, block }) {
      await orm
        .insert(chainOrders)
        .values({ orderId, total, block, sinceBlock: block, state: "paid", createdAt: databaseNow })
        .onConflictDoNothing();
    },
    async bind(order) {
      await orm
        .insert(chainOrders)
        .values({ ...order, state: "open", createdAt: databaseNow })
        .onConflictDoNothing();
      const bound = await find(order.orderId);
      if (!bound) throw new Error(`Order ${order.orderId} could not be bound to its grant.`);
      return bound;
    },
    markPaid: (orderId, block) => end(orderId, { state: "paid", block }),
    markRefused: (orderId) => end(orderId, { state: "refused" }),
    async refuseUnsent(orderId) {
      const rows = await orm
        .update(chainOrders)
        .set({ state: "refused" })
        .where(and(isOpen(orderId), isNull(chainOrders.gas)))
        .returning();
      return rows.length > 0;
    },
    async addGas(orderId, more) {
      const gas = sql`nullif(coalesce(${chainOrders.gas}, 0) + ${Number(more)}::int, 0)`;
      await orm.update(chainOrders).set({ gas }).where(eq(chainOrders.orderId, orderId));
    },
    async end(orderId) {
      // One that was never bound gets a row without a grant: it cannot be bound any more.
      await orm
        .insert(chainOrders)
        .values({ orderId, total: 0n, sinceBlock: 0n, state: "refused", createdAt: databaseNow })
        .onConflictDoUpdate({
          target: chainOrders.orderId,
          set: { state: "refused" },
          setWhere: eq(chainOrders.state, "open"),
        });
      const isPaid = matches(chainOrders, { orderId, state: "paid" });
      const proved = await findRow(orm, chainOrders, and(isPaid, isNull(chainOrders.grantId)));
      if (proved) throw new Error(`Order ${orderId} was paid on chain under an unknown grant.`);
      return find(orderId);
    },
    isOpen: async (orderId) => (await findRow(orm, chainOrders, isOpen(orderId))) !== null,
    gasOfDay: ({ account, planId }, least) => readRow(query(GAS_OF_DAY, [account, planId, least])),
  };
}

/** Reads a version of a plan as it was sold. */
export function createFindPlanVersion(orm: Orm) {
  return async (planId: string, version: number): Promise<PlanVersion> => {
    const [row] = await orm
      .select({ plan: plans, terms: planVersions })
      .from(plans)
      .innerJoin(planVersions, eq(planVersions.planId, plans.planId))
      .where(and(eq(plans.planId, planId), eq(planVersions.version, version)));
    if (!row) throw new Error(`Plan ${planId} has no version ${version}.`);
    return { ...fromPlanRow({ ...row, redeemers: [] }), version };
  };
}
