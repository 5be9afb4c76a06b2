import type { OperationName, OutputOf, ParsedInputOf } from "@turnpike/payments/protocol";
import { getX402AccessToken } from "./access-tokens.ts";
import { getRequest, getSettlement, listRequests } from "./activity.ts";
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
import { type Context, requireCaller } from "./context.ts";
import {
  createDelegation,
  getDelegation,
  listDelegations,
  revokeDelegation,
} from "./delegations.ts";
import { getOrder, orderPlan } from "./orders.ts";
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
import { releasePermissions } from "./release-permissions.ts";
import { settlePermissions } from "./settle-permissions.ts";
import { supported } from "./supported.ts";
import { listTokens, revokeToken } from "./token-list.ts";
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
  orderPlan,
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
  createApiKey,
  listApiKeys,
  revokeApiKey,
  listRequests,
  getRequest,
  listPaymentMethods: async (context) => {
    const { account } = requireCaller(context);
    return (await context.ports.cards?.listPaymentMethods(account)) ?? [];
  },
  advanceClock: async ({ ports }, { seconds }) => ({
    now: (await ports.clock.advance(seconds)).toISOString(),
  }),
};
