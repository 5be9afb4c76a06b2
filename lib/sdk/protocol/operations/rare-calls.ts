import { agents } from "./agents.ts";
import { alerts } from "./alerts.ts";
import { apiKeys } from "./api-keys.ts";
import { audit } from "./audit.ts";
import { authorizations } from "./authorizations.ts";
import { balance } from "./balance.ts";
import { budgets } from "./budgets.ts";
import { delegation } from "./delegations.ts";
import { discovery } from "./discovery.ts";
import { disputes } from "./disputes.ts";
import { fiatOrders } from "./fiat-orders.ts";
import { grants } from "./grants.ts";
import { holdings } from "./holdings.ts";
import { orders } from "./orders.ts";
import { paymentMethods } from "./payment-methods.ts";
import { payouts } from "./payouts.ts";
import { plans } from "./plans.ts";
import { rarePermissions } from "./rare-permissions.ts";
import { refunds } from "./refunds.ts";
import { renewals } from "./renewals.ts";
import { requests } from "./requests.ts";
import { statements } from "./statements.ts";
import { tokenLists } from "./token-lists.ts";
import { tokens } from "./tokens.ts";
import { webhooks } from "./webhooks.ts";
import { withdrawals } from "./withdrawals.ts";

/** How the operations are called that no gate and no payment needs: the client loads this module at the first call. */
export const rareCalls = {
  holdings,
  requests,
  tokens: { ...tokens, ...tokenLists },
  agents,
  alerts,
  apiKeys,
  budgets,
  audit,
  discovery,
  paymentMethods,
  plans: { ...plans, ...orders, ...fiatOrders },
  webhooks,
  money: {
    ...balance,
    ...statements,
    ...refunds,
    ...renewals,
    ...disputes,
    ...withdrawals,
    ...payouts,
  },
  x402: authorizations,
  facilitator: rarePermissions,
  delegation: { ...delegation, ...grants },
};
