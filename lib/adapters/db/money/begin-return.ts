import { and, eq, inArray } from "drizzle-orm";
import type { Payouts } from "@/lib/domain/money/payout-ports.ts";
import { databaseNow } from "../audit.ts";
import { inTransaction, type Orm } from "../client.ts";
import { audit, payoutAccounts, payouts } from "../schema.ts";

/** Begins the way back of a payout. One transaction, so a schedule that ends with it is in the payout's message. */
export const createBeginReturn =
  (orm: Orm): Payouts["beginReturn"] =>
  (payoutId, { code, message }, withoutSchedule) =>
    inTransaction(orm, async (transaction) => {
      const wanted = eq(payouts.payoutId, payoutId);
      const [payout] = await transaction
        .select({ account: payouts.account })
        .from(payouts)
        .where(and(wanted, inArray(payouts.state, ["open", "sent", "paid"])))
        .for("update");
      if (!payout) return;
      const hasEnded =
        withoutSchedule !== undefined &&
        (await endSchedule(transaction, { ...payout, requestId: payoutId }));
      await transaction
        .update(payouts)
        .set({
          state: "returning",
          failureCode: code,
          failureMessage: hasEnded ? withoutSchedule.message : message,
          updatedAt: databaseNow,
          dueAt: databaseNow,
        })
        .where(wanted);
    });

/** Whether there was a schedule to end. */
async function endSchedule(
  transaction: Orm,
  { account, requestId }: { account: string; requestId: string },
): Promise<boolean> {
  const wanted = eq(payoutAccounts.account, account);
  const [before] = await transaction
    .select({ schedule: payoutAccounts.schedule })
    .from(payoutAccounts)
    .where(wanted)
    .for("update");
  const schedule = "manual";
  if (!before || before.schedule === schedule) return false;
  await transaction
    .update(payoutAccounts)
    .set({ schedule, nextPayoutAt: null, updatedAt: databaseNow })
    .where(wanted);
  const note = { account, keyId: null, action: "payout.schedule", subject: schedule, requestId };
  await transaction
    .insert(audit)
    .values({ ...note, before, after: { schedule }, createdAt: databaseNow });
  return true;
}
