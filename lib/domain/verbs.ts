import type { OperationName, OutputOf, ParsedInputOf } from "@turnpike/payments/protocol";
import { getX402AccessToken } from "./access-tokens.ts";
import { getRequest, getSettlement, listRequests, reportRequests } from "./activity.ts";
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
} from "./agents.ts";
import { createApiKey, listApiKeys, revokeApiKey } from "./api-keys.ts";
import type { Context } from "./context.ts";
import { getDelegationEffects, revokeAllDelegations } from "./delegation-effects.ts";
import {
  createDelegation,
  getDelegation,
  listDelegations,
  revokeDelegation,
} from "./delegations.ts";
import { getEarnings } from "./earnings.ts";
import { orderFiatPlan } from "./fiat-orders.ts";
import { getActivitySeries, getFunnel, getHome } from "./figures.ts";
import { listOrders, listSubscriptions } from "./holdings.ts";
import { orderUnderKey } from "./key-roots.ts";
import { getOrder } from "./orders.ts";
import {
  addPaymentMethod,
  finishPaymentMethod,
  listPaymentMethods,
  removePaymentMethod,
  setDefaultPaymentMethod,
} from "./payment-methods.ts";
import {
  getPlan,
  getPlanBalance,
  listPlans,
  listPublicPlans,
  listSubscribers,
  registerCreditsPlan,
  registerTimePlan,
  updatePlan,
} from "./plans.ts";
import { getReceipt } from "./receipts.ts";
import { releasePermissions } from "./release-permissions.ts";
import { clearFaults, fund, injectFault, listFaults } from "./sandbox.ts";
import { settlePermissions } from "./settle-permissions.ts";
import { endSharedRun, getSharedRun, listSharedRuns, shareRun } from "./shared-runs.ts";
import { getGrant, submitGrantSignature } from "./signed-grants.ts";
import { supported } from "./supported.ts";
import { getToken, listTokens, revokeToken } from "./token-list.ts";
import { listUnsettledRequests, settleRequest, writeOffRequest } from "./unsettled.ts";
import { verifyPermissions } from "./verify-permissions.ts";

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
