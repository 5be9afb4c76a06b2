import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import { notFound } from "next/navigation";
import { cache } from "react";
import { requireSession } from "@/app/_session/session.ts";
import type { Caller } from "@/lib/domain/context.ts";
import { getOwnPlan, planAnswer } from "@/lib/domain/plans/plans.ts";
import type { PlanRecord } from "@/lib/domain/records.ts";
import { getRunning } from "@/lib/server/running.ts";

/** A plan of the signed-in account, with what only its owner can read. Other plans are a 404 page. */
export const readOwnPlan = cache(async (planId: string) => {
  const { account } = await requireSession();
  const { address, isOperator } = account;
  try {
    const record = await getPlanOf({ account: address, keyId: null, isOperator }, planId);
    const { ports } = await getRunning();
    return { plan: planAnswer(ports, record), redeemers: record.redeemers };
  } catch (cause) {
    if (PaymentsError.is(cause) && cause.code === "not_found") notFound();
    throw cause;
  }
});

/** A plan of the caller's as it is stored. Throws `not_found` for other plans, and for what is not an ID. */
export async function getPlanOf(caller: Caller, planId: string): Promise<PlanRecord> {
  // Rejects malformed ids before querying.
  if (!/^(0|[1-9]\d{0,77})$/.test(planId)) throw new PaymentsError("not_found", "No such plan.");
  const { ports } = await getRunning();
  return getOwnPlan({ ports, caller, keyHash: null, requestId: crypto.randomUUID() }, planId);
}
