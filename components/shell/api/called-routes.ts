export type Ids = Readonly<Record<string, string>>;

/** The routes that have calls, which `page-calls.ts` has; every page needs to know only whether there are any. */
export const CALLED_ROUTES = [
  "/home",
  "/plans",
  "/plans/[planId]",
  "/agents",
  "/agents/[agentId]",
  "/agents/[agentId]/endpoints",
  "/agents/[agentId]/plans",
  "/agents/[agentId]/settings",
  "/balance/orders/[orderId]",
  "/customers/[address]",
  "/earnings",
  "/explore",
  "/p/[planId]",
  "/subscriptions",
  "/subscriptions/[planId]",
  "/alerts",
  "/approvals",
  "/approvals/[approvalId]",
  "/settings/budgets",
  "/delegations",
  "/delegations/new",
  "/delegations/[delegationId]",
  "/tokens",
  "/tokens/new",
  "/tokens/[tokenId]",
  "/payment-methods",
  "/activity",
  "/activity/errors",
  "/activity/reconcile",
  "/activity/[requestId]",
  "/balance/statements",
  "/balance/invoices/[orderId]",
  "/settings/api-keys",
  "/settings/audit",
  "/settings/webhooks",
] as const;

export type CalledRoute = (typeof CALLED_ROUTES)[number];

/** The route of an address and the ids in it: fixed segments before ids. Undefined if it has no calls. */
export function findCalledRoute(path: string): { route: CalledRoute; ids: Ids } | undefined {
  const fixed = CALLED_ROUTES.find((route) => route === path);
  if (fixed) return { route: fixed, ids: {} };
  const parts = path.split("/");
  for (const route of CALLED_ROUTES) {
    const ids = idsOf(route.split("/"), parts);
    if (ids) return { route, ids };
  }
  return undefined;
}

function idsOf(route: readonly string[], parts: readonly string[]): Ids | undefined {
  if (route.length !== parts.length) return undefined;
  const ids: Record<string, string> = {};
  for (const [index, segment] of route.entries()) {
    const part = parts[index] ?? "";
    const [, name] = /^\[(\w+)\]$/.exec(segment) ?? [];
    if (name) ids[name] = decodeURIComponent(part);
    else if (segment !== part) return undefined;
  }
  return ids;
}
