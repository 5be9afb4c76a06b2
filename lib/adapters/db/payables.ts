import { sql } from "drizzle-orm";
import type { Payouts } from "@/lib/domain/ports.ts";
import type { Database, Orm } from "./client.ts";
import { isTestPayer } from "./figures/test-payers.ts";

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

/** Money collected for builders and not paid out yet: earned, less what went back or was paid out. May be negative: carried forward. */
export function createPayouts({ query }: Database): Payouts {
  return {
    owed: (account, includeTest = true) =>
      query(
        `select currency, sum(case when kind in ('earned', 'restored', 'returned') then amount else -amount end) as amount
         from payables where owner = $1
           and ($2::boolean or not exists (select 1 from orders o where o.order_id = payables.order_id and ${isTestPayer("o.account")}))
         group by currency
         having sum(case when kind in ('earned', 'restored', 'returned') then amount else -amount end) > 0 order by currency`,
        [account, includeTest],
      ),
  };
}
