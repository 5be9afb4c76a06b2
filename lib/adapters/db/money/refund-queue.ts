import { and, eq, inArray, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import type { Refunds } from "@/lib/domain/money/refund-ports.ts";
import { databaseNow } from "../audit.ts";
import type { Orm } from "../client.ts";
import { readPage } from "../paging.ts";
import { isNextDue, matches } from "../rows.ts";
import { plans, refunds } from "../schema.ts";

const LEASE_SECS = 60;
const FIRST_WAIT_SECS = 30;
const LONGEST_WAIT_SECS = 6 * 3600;
/** When a refund that just moved is looked at again. */
export const dueSoon = sql<Date>`app_now() + make_interval(secs => ${FIRST_WAIT_SECS})`;

/** The credits that an account returned for one call: it settled the call as a redeemer of another's plan. */
const returnedBy = (account: string, agentRequestId: string | undefined) =>
  agentRequestId === undefined
    ? undefined
    : and(
        isNull(refunds.orderId),
        eq(refunds.requestKey, `${account}/${agentRequestId}`),
        // As the index of paid calls has it.
        inArray(refunds.state, ["open", "paid"]),
      );

/** Requests about plans of the account that an earlier release wrote for the account that settled the call. */
const askedOfPlans = (orm: Orm, account: string) =>
  and(
    eq(refunds.state, "requested"),
    inArray(
      refunds.planId,
      orm.select({ planId: plans.planId }).from(plans).where(eq(plans.owner, account)),
    ),
  );

/** Refunds as lists and as work: those of a side, and those a worker has to look at. */
export function createRefundQueue(orm: Orm) {
  return {
    list({ account, role, status, orderId, agentRequestId, ...query }) {
      return readPage({
        orm,
        from: refunds,
        where: and(
          role === "builder"
            ? or(
                eq(refunds.owner, account),
                askedOfPlans(orm, account),
                returnedBy(account, agentRequestId),
              )
            : eq(refunds.account, account),
          matches(refunds, {}, { state: status, orderId }),
          // A key is `builder/agentRequestId`, and an account has its refunds by their index.
          agentRequestId === undefined
            ? undefined
            : sql`substr(${refunds.requestKey}, strpos(${refunds.requestKey}, '/') + 1) = ${agentRequestId}`,
        ),
        id: "refundId",
        query,
      });
    },
    async hasSent(orderId) {
      const rows = await orm
        .select({ refundId: refunds.refundId })
        .from(refunds)
        .where(and(eq(refunds.orderId, orderId), inArray(refunds.state, ["open", "paid"])))
        .limit(1);
      return rows.length > 0;
    },
    takeDue: (limit) =>
      orm
        .update(refunds)
        .set({
          dueAt: sql`app_now() + make_interval(secs => ${LEASE_SECS})`,
          checks: sql`${refunds.checks} + 1`,
        })
        .where(isNextDue(refunds, refunds.refundId, limit, { account: refunds.owner }))
        .returning(),
    async putOff(refundId) {
      await orm
        .update(refunds)
        .set({
          dueAt: sql`app_now() + make_interval(secs => least(${LONGEST_WAIT_SECS}, ${FIRST_WAIT_SECS} * power(2, least(${refunds.checks}, 10))))`,
        })
        .where(and(eq(refunds.refundId, refundId), isNotNull(refunds.dueAt)));
    },
    async expire() {
      const rows = await orm
        .update(refunds)
        .set({
          state: "declined",
          failureCode: "expired",
          failureMessage: "The builder did not answer in time.",
          updatedAt: databaseNow,
        })
        .where(and(eq(refunds.state, "requested"), lte(refunds.expiresAt, databaseNow)))
        .returning({ refundId: refunds.refundId });
      return rows.length;
    },
  } satisfies Partial<Refunds>;
}
