import { sql } from "drizzle-orm";
import { payoutStepOf } from "@/lib/console/minor-units.ts";
import type { PlatformFee } from "@/lib/domain/money/payout-ports.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";
import type { Orm } from "./client.ts";

/**
 * Writes what an order means for the receivers its price names, once per change of the order: the caller holds the
 * order's lock. Writes nothing for an order whose receivers were paid directly.
 */
export async function writePayables(
  transaction: Orm,
  orderId: string,
  kind: "earned" | "paid-out" | "reversed" | "restored",
  reference: string | null,
): Promise<void> {
  await transaction.execute(sql`select write_payables(${orderId}, ${kind}, ${reference})`);
}

/** Writes what the platform keeps of an order that was just earned, in multiples of what payouts are multiples of. */
export async function writeFees(
  transaction: Orm,
  { orderId, currency }: Pick<OrderRecord, "orderId" | "currency">,
  { defaultBps, byController }: PlatformFee,
): Promise<void> {
  if (defaultBps === 0 && byController.size === 0) return;
  const rates = JSON.stringify(Object.fromEntries(byController));
  const unit = payoutStepOf(currency).toString();
  await transaction.execute(
    sql`select write_fees(${orderId}, ${defaultBps}, ${rates}::jsonb, ${unit}::numeric)`,
  );
}
