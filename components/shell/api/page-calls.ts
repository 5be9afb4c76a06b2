import type { OperationName } from "@turnpike/payments/protocol";
import { type CalledRoute, findCalledRoute, type Ids } from "./called-routes.ts";

/** A call of the client, `payments.<group>.<name>(...args)`, that makes the same read or change as a page. */
export type PageCall = {
  name: OperationName;
  args: readonly unknown[];
  /** What the API takes, where the client's method builds it in another way than its row. */
  input?: Record<string, unknown>;
};

const call = (name: OperationName, ...args: unknown[]): PageCall => ({ name, args });

const mintCall = (planId: string): PageCall => ({
  ...call("getX402AccessToken", planId),
  input: { accepted: { planId } },
});

const idOf = (ids: Ids, name: string): string => ids[name] ?? "";

/** Stands for an id that the page does not have. */
const PLAN_ID = "1234567890";
const LIMITS = { spendingLimitCents: 2_000, durationSecs: 604_800 };

/** By route; `query` has the address's own parameters. A page without a row reads nothing from the service, or shows its own code. */
const CALLS: Readonly<Record<CalledRoute, (ids: Ids, query: URLSearchParams) => PageCall[]>> = {
  "/home": () => [call("listRequests", { limit: 8 }), call("listDelegations", { state: "live" })],
  "/plans": () => [call("listPlans", { limit: 50 })],
  "/plans/[planId]": (ids) => [
    call("getPlan", idOf(ids, "planId")),
    call("listSubscribers", idOf(ids, "planId")),
    call("updatePlan", idOf(ids, "planId"), { state: "listed" }),
    call("archivePlan", idOf(ids, "planId")),
  ],
  "/agents": () => [call("listAgents", { limit: 50 })],
  "/agents/[agentId]": (ids) => [
    call("getAgent", idOf(ids, "agentId")),
    call("listRequests", { role: "builder", agentId: idOf(ids, "agentId") }),
  ],
  "/agents/[agentId]/endpoints": (ids) => [call("getAgent", idOf(ids, "agentId"))],
  "/agents/[agentId]/plans": (ids) => [
    call("getAgentPlans", idOf(ids, "agentId")),
    call("addPlanToAgent", idOf(ids, "agentId"), PLAN_ID),
    call("removePlanFromAgent", idOf(ids, "agentId"), PLAN_ID),
  ],
  "/agents/[agentId]/settings": (ids) => [
    call("updateAgent", idOf(ids, "agentId"), { metadataAttributes: { name: "New name" } }),
    call("archiveAgent", idOf(ids, "agentId")),
  ],
  "/balance/orders/[orderId]": (ids) => [
    call("getRefundable", idOf(ids, "orderId")),
    call("createRefund", { orderId: idOf(ids, "orderId") }),
  ],
  "/customers/[address]": (ids) => [
    call("listRequests", { role: "builder", payer: idOf(ids, "address") }),
  ],
  "/earnings": () => [call("listRequests", { role: "builder", moneyStatus: "settled" })],
  "/explore": () => [call("listPublicPlans", { limit: 50 })],
  "/p/[planId]": (ids) => [
    call("getPlan", idOf(ids, "planId")),
    call("orderPlan", idOf(ids, "planId")),
  ],
  "/subscriptions": () => [call("listSubscriptions", { limit: 50 })],
  "/subscriptions/[planId]": (ids) => [
    call("listOrders", { planId: idOf(ids, "planId") }),
    call("orderPlan", idOf(ids, "planId")),
    call("setRenewal", { planId: idOf(ids, "planId"), isOn: false }),
    mintCall(idOf(ids, "planId")),
  ],
  "/alerts": () => [
    call("listAlerts", { status: "open" }),
    call("listAlertRules"),
    call("createAlertRule", { kind: "credits-below", threshold: 20, channels: ["email"] }),
  ],
  "/approvals": () => [call("listApprovals", { status: "pending" })],
  "/approvals/[approvalId]": (ids) => [
    call("getApproval", idOf(ids, "approvalId")),
    call("approveRequest", idOf(ids, "approvalId")),
    call("declineRequest", idOf(ids, "approvalId")),
  ],
  "/settings/budgets": () => [
    call("getBudgets"),
    call("setBudgets", { limits: [{ period: "day", unit: "money", limit: 2_000 }] }),
  ],
  "/delegations": () => [call("listDelegations", { limit: 50 }), call("revokeAllDelegations", {})],
  "/delegations/new": () => [call("createDelegation", { provider: "erc4337", ...LIMITS })],
  "/delegations/[delegationId]": (ids) => [
    call("getDelegation", idOf(ids, "delegationId")),
    call("revokeDelegation", idOf(ids, "delegationId")),
  ],
  "/tokens": () => [call("listTokens", { limit: 50 })],
  "/tokens/new": (_, query) => [mintCall(query.get("plan") ?? PLAN_ID)],
  "/tokens/[tokenId]": (ids) => [
    call("getToken", idOf(ids, "tokenId")),
    call("revokeToken", idOf(ids, "tokenId")),
  ],
  "/payment-methods": () => [call("listPaymentMethods", {})],
  "/activity": () => [call("listRequests", { limit: 50 })],
  "/activity/errors": () => [call("listRequests", { moneyStatus: "refused" })],
  "/activity/reconcile": () => [call("listUnsettledRequests", {})],
  "/activity/[requestId]": (ids) => [call("getRequest", idOf(ids, "requestId"))],
  "/balance/statements": () => [call("getStatement", new Date().toISOString().slice(0, 7))],
  "/balance/invoices/[orderId]": (ids) => [call("getInvoice", idOf(ids, "orderId"))],
  "/settings/api-keys": () => [call("listApiKeys", {})],
  "/settings/audit": () => [call("listAudit", { limit: 50 })],
  "/settings/webhooks": () => [
    call("listWebhookEndpoints", {}),
    call("createWebhookEndpoint", { url: "https://example.com/turnpike", events: ["*"] }),
    call("listEvents", { after: "0" }),
  ],
};

/** The calls of the page at an address. */
export function callsOfPage(path: string, query = new URLSearchParams()): PageCall[] {
  const found = findCalledRoute(path);
  return found ? CALLS[found.route](found.ids, query) : [];
}
