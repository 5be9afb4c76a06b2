import type { Ports } from "@/lib/domain/ports.ts";
import type { ChainServices } from "../chain/chain-services.ts";

/** What the metrics read of the running service. */
export const gaugesOf = (
  { salesStop }: Pick<Ports, "salesStop">,
  onChain: Pick<ChainServices, "settlerOrdersLeft"> | undefined,
  stuckOrders: () => number,
): Record<string, () => number> => ({
  stuck_orders: stuckOrders,
  sales_stopped: () => (salesStop?.() ? 1 : 0),
  ...(onChain && { settler_orders_left: onChain.settlerOrdersLeft }),
});
