import type { OperationName, OutputOf, ParsedInputOf } from "@turnpike/payments/protocol";
import { createApiKey, listApiKeys, revokeApiKey } from "./accounts/api-keys.ts";
import {
  addPaymentMethod,
  finishPaymentMethod,
  listPaymentMethods,
  removePaymentMethod,
  setDefaultPaymentMethod,
} from "./accounts/payment-methods.ts";
import type { Context } from "./context.ts";
import { getDelegationEffects, revokeAllDelegations } from "./delegations/delegation-effects.ts";
import {
  createDelegation,
  getDelegation,
  listDelegations,
  revokeDelegation,
} from "./delegations/delegations.ts";
import { orderUnderKey } from "./delegations/key-roots.ts";
import { getGrant, submitGrantSignature } from "./delegations/signed-grants.ts";
import { getRequest, getSettlement, listRequests, reportRequests } from "./figures/activity.ts";
import { getEarnings } from "./figures/earnings.ts";
import { getActivitySeries, getFunnel, getHome } from "./figures/figures.ts";
import { listOrders, listSubscriptions } from "./figures/holdings.ts";
import { getReceipt } from "./figures/receipts.ts";
import { endSharedRun, getSharedRun, listSharedRuns, shareRun } from "./figures/shared-runs.ts";
import { orderFiatPlan } from "./orders/fiat-orders.ts";
import { getOrder } from "./orders/orders.ts";
import { releasePermissions } from "./permissions/release-permissions.ts";
import { settlePermissions } from "./permissions/settle-permissions.ts";
import { supported } from "./permissions/supported.ts";
import { listUnsettledRequests, settleRequest, writeOffRequest } from "./permissions/unsettled.ts";
import { verifyPermissions } from "./permissions/verify-permissions.ts";
import {
  addPlanToAgent,
  getAgent,
  getAgentPlans,
  getPlanAgents,
  listAgents,
  registerAgent,
  registerAgentAndPlan,
  removePlanFromAgent,
  updateAgent,
} from "./plans/agents.ts";
import {
  getPlan,
  getPlanBalance,
  listPlans,
  listPublicPlans,
  listSubscribers,
  registerCreditsPlan,
  registerTimePlan,
  updatePlan,
} from "./plans/plans.ts";
import { clearFaults, fund, injectFault, listFaults } from "./sandbox.ts";
import { getX402AccessToken } from "./tokens/access-tokens.ts";
import { getToken, listTokens, revokeToken } from "./tokens/token-list.ts";

/** One verb per operation; a row of the operations table without a verb does not compile. */
export const verbs: {
  [K in OperationName]: (context: Context, input: ParsedInputOf<K>) => Promise<OutputOf<K>>;
} = {
  registerCreditsPlan,
  registerTimePlan,
  listPlans,
  listPublicPlans,
  getPlan,
  updatePlan,
  getPlanAgents,
  getPlanBalance,
  listSubscribers,
  orderPlan: orderUnderKey,
  listOrders,
  listSubscriptions,
  getOrder,
  registerAgent,
  updateAgent,
  getAgent,
  listAgents,
  registerAgentAndPlan,
  getAgentPlans,
  addPlanToAgent,
  removePlanFromAgent,
  getX402AccessToken,
  listTokens,
  getToken,
  revokeToken,
  verifyPermissions,
  settlePermissions,
  releasePermissions,
  getSettlement,
  supported,
  createDelegation,
  listDelegations,
  getDelegation,
  revokeDelegation,
  getGrant,
  submitGrantSignature,
  getDelegationEffects,
  revokeAllDelegations,
  createApiKey,
  listApiKeys,
  revokeApiKey,
  listRequests,
  getRequest,
  reportRequests,
  listUnsettledRequests,
  settleRequest,
  writeOffRequest,
  getReceipt,
  getActivitySeries,
  getFunnel,
  getEarnings,
  getHome,
  listPaymentMethods,
  addPaymentMethod,
  finishPaymentMethod,
  setDefaultPaymentMethod,
  removePaymentMethod,
  orderFiatPlan,
  shareRun,
  listSharedRuns,
  getSharedRun,
  endSharedRun,
  fund,
  injectFault,
  listFaults,
  clearFaults,
  advanceClock: async ({ ports }, { seconds }) => ({
    now: (await ports.clock.advance(seconds)).toISOString(),
  }),
};
