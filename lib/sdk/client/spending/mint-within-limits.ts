import { isFree } from "../../protocol/plans/price-builders.ts";
import { call } from "../call.ts";
import type { Connection } from "../connection.ts";
import type { Cents } from "./purchase.ts";
import { purchaseOf } from "./purchase.ts";

type Limited = { orderLimit?: bigint | number | string | undefined };

/**
 * Mints with an order limit that `maxSpend` and the instance's limits allow: as many whole orders as fit at the plan's
 * price. The token's holder may spend them at any time, so they count in full on the day it is minted.
 */
export async function mintWithinLimits<Minted, Options extends Limited>(
  connection: Connection,
  planId: string,
  { maxSpend, ...options }: Options & { maxSpend?: Cents },
  mint: (options: Omit<Options, "maxSpend"> & Limited) => Promise<Minted>,
): Promise<Minted> {
  const { spending } = connection;
  const most = spending.ceiling(maxSpend);
  if (most === undefined) return mint(options);
  const plan = await call(connection, "getPlan", { planId });
  if (isFree(plan.registry.price)) return mint(options);
  const order = purchaseOf(plan);
  const fitting = (most / order.cents) * order.total;
  const asked = options.orderLimit === undefined ? fitting : BigInt(options.orderLimit);
  const orderLimit = asked < fitting ? asked : fitting;
  const cents = (orderLimit * order.cents + order.total - 1n) / order.total;
  const giveBack = await spending.reserve({ ...order, cents }, maxSpend);
  try {
    return await mint({ ...options, orderLimit });
  } catch (error) {
    // Where the answer is lost, no one has the token.
    await giveBack(cents);
    throw error;
  }
}
