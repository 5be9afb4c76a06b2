import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import { notFound } from "next/navigation";
import { cache } from "react";
import { requireSession } from "@/app/_session/session.ts";
import { getOwnPlan, planAnswer } from "@/lib/domain/plans/plans.ts";
import { getRunning } from "@/lib/server/running.ts";

/** A plan of the signed-in account, with what only its owner can read. Other plans are a 404 page. */
export const readOwnPlan = cache(async (planId: string) => {
  const { account } = await requireSession();
  const { ports } = await getRunning();
  const { address, isOperator } = account;
  const caller = { account: address, keyId: null, isOperator };
  try {
    const record = await getOwnPlan(
      { ports, caller, keyHash: null, requestId: crypto.randomUUID() },
      readPlanId(planId),
    );
    return { plan: planAnswer(ports, record), redeemers: record.redeemers };
  } catch (cause) {
    if (PaymentsError.is(cause) && cause.code === "not_found") notFound();
    throw cause;
  }
});

// Rejects malformed ids before querying.
function readPlanId(text: string): string {
  if (/^(0|[1-9]\d{0,77})$/.test(text)) return text;
  notFound();
}
