import { delegation } from "./delegations.ts";
import { orders } from "./orders.ts";
import { tokens, x402 } from "./tokens.ts";

/** How the operations are called that a payer needs and no gate: the client loads this module at the first call. */
export const payerCalls = {
  ...orders,
  ...x402,
  ...tokens,
  ...delegation,
};
