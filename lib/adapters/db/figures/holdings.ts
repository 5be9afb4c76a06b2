import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { Holdings, OrderRow } from "@/lib/domain/figures/holdings-ports.ts";
import type { Database } from "../client.ts";
import { inPage, readPage } from "../paging.ts";
import { matches, readFirst } from "../rows.ts";
import { orders, plans, planVersions, tokens } from "../schema.ts";
import { selectTokens } from "../tokens.ts";
import { createDelegationTotals } from "./delegation-totals.ts";
import { createDelegationUse } from "./delegation-use.ts";
import { backColumnsOf } from "./gone-back.ts";
import { createSubscriptions } from "./subscriptions.ts";

const back = backColumnsOf("orders", "plans");

/** What accounts have, as their owners see it. */
export function createHoldings(database: Database): Holdings {
  const { orm } = database;
  return {
    listOrders: (account, { planId, orderId, status, withoutTopUps, ...page }) =>
      readPage({
        orm,
        from: orders,
        where: and(
          // A blank id in a query asks for nothing.
          matches(orders, { account }, { planId, orderId: orderId || undefined, status }),
          withoutTopUps ? isNull(orders.jti) : undefined,
        ),
        id: "orderId",
        query: page,
        read: async (page) => {
          const select = orm
            .select({
              ...getTableColumns(orders),
              planName: sql<string>`${plans.metadata}->>'name'`,
              granted: planVersions.granted,
              refunded: sql.raw(back.refunded).mapWith(orders.price),
              creditsBack: sql.raw(back.creditsBack).mapWith(orders.price),
              disputed: sql.raw(back.disputed).mapWith(orders.price),
              creditsDisputed: sql.raw(back.creditsDisputed).mapWith(orders.price),
            })
            .from(orders)
            .innerJoin(plans, eq(plans.planId, orders.planId))
            .innerJoin(
              planVersions,
              and(
                eq(planVersions.planId, orders.planId),
                eq(planVersions.version, orders.planVersion),
              ),
            )
            .$dynamic();
          return (await inPage(select, page)) as OrderRow[];
        },
      }),
    listTokens: (account, { planId, agentId, delegationId, ...page }) =>
      readPage({
        orm,
        from: tokens,
        where: matches(
          tokens,
          { account },
          { planId, agentId, delegationId: delegationId || undefined },
        ),
        createdAt: "issuedAt",
        id: "jti",
        query: page,
        read: (page) => inPage(selectTokens(orm).$dynamic(), page),
      }),
    findToken: (jti) => readFirst(selectTokens(orm).where(eq(tokens.jti, jti))),
    ...createSubscriptions(database),
    ...createDelegationUse(database),
    ...createDelegationTotals(database),
  };
}
