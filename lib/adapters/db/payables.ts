import { sql } from "drizzle-orm";
import type { Payouts } from "@/lib/domain/ports.ts";
import type { Database, Orm } from "./client.ts";

/**
 * Writes what an order means for those its price names, once per change of the order: the caller holds the
 * order's lock. Orders that are not paid by card are paid to their receivers on chain, and write nothing.
 */
export async function bookPayables(
  transaction: Orm,
  orderId: string,
  kind: "earned" | "paid-out" | "reversed" | "restored",
  reference: string | null,
): Promise<void> {
  await transaction.execute(sql`select book_payables(${orderId}, ${kind}, ${reference})`);
}

/** What card orders collected for builders and has not reached them: earned, less what went back or was paid out. */
export function createPayouts({ query }: Database): Payouts {
  return {
    async owed(account) {
      const rows = await query<{ currency: string; amount: string }>(
        `select currency, sum(case when kind in ('earned', 'restored') then amount else -amount end)::text as amount
         from payables where owner = $1 group by currency
         having sum(case when kind in ('earned', 'restored') then amount else -amount end) > 0 order by currency`,
        [account],
      );
      return rows.map(({ currency, amount }) => ({ currency, amount: BigInt(amount) }));
    },
  };
}
