import type { Ports } from "@/lib/domain/ports.ts";
import type { ChainServices } from "../chain/chain-services.ts";

/** What background work counts: orders that a person must look at, and mails that the mail server refused. */
export type Counts = { stuckOrders: number; refusedMails: number };

/** What the metrics read of the running service. */
export const gaugesOf = (
  { salesStop }: Pick<Ports, "salesStop">,
  onChain: Pick<ChainServices, "settlerOrdersLeft"> | undefined,
  counts: Counts,
): Record<string, () => number> => ({
  stuck_orders: () => counts.stuckOrders,
  refused_mails: () => counts.refusedMails,
  sales_stopped: () => (salesStop?.() ? 1 : 0),
  ...(onChain && { settler_orders_left: onChain.settlerOrdersLeft }),
});
