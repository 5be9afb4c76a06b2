import { agents } from "./agents.ts";
import { apiKeys } from "./api-keys.ts";
import { delegation } from "./delegations.ts";
import { holdings, orders } from "./orders.ts";
import { paymentMethods } from "./payment-methods.ts";
import { facilitator } from "./permissions.ts";
import { plans } from "./plans.ts";
import { requests } from "./requests.ts";
import { tokens, x402 } from "./tokens.ts";

/** How every operation of the protocol is called. */
export const calls = {
  ...plans,
  ...orders,
  ...holdings,
  ...agents,
  ...x402,
  ...tokens,
  ...facilitator,
  ...delegation,
  ...paymentMethods,
  ...apiKeys,
  ...requests,
};
