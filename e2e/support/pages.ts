/** Who opens a page in tests, and what it shows. */
export type PageRow = {
  who: "builder" | "subscriber" | "guest";
  /** Whether it shows the service's data, and so must report a failed read. */
  reads: boolean;
  /** Queries that change the page; it is always opened without one too. */
  views?: string[];
  /** Who may read it where its path has an id, if not `who` alone; `everyone` is a public page, which shows no marked data. */
  owner?: "builder" | "subscriber" | "both" | "everyone";
};

const builder = (views?: string[]): PageRow => ({
  who: "builder",
  reads: true,
  ...(views && { views }),
});
const subscriber = (views?: string[]): PageRow => ({ ...builder(views), who: "subscriber" });
const guest = (): PageRow => ({ who: "guest", reads: false });
const alone = (views?: string[]): PageRow => ({ ...builder(views), reads: false });

const shared = (row: PageRow): PageRow => ({ ...row, owner: "everyone" });

/** Every page; a page without a row fails a test. */
export const PAGES: Record<string, PageRow> = {
  "/": guest(),
  "/a/[agentId]": builder(),
  "/activity": builder(["?money=refused"]),
  "/activity/[requestId]": builder(),
  "/activity/errors": builder(),
  "/activity/reconcile": builder(),
  "/agents": builder(["?q=nothing-like-it"]),
  "/agents/[agentId]": builder(["?range=7d"]),
  "/agents/[agentId]/checks": builder(),
  "/agents/[agentId]/code": builder(),
  "/agents/[agentId]/endpoints": builder(),
  "/agents/[agentId]/plans": builder(),
  "/agents/[agentId]/settings": builder(),
  "/agents/new": alone(),
  "/alerts": subscriber(["?show=everything"]),
  "/alerts/confirm": subscriber(),
  "/alerts/mailbox": subscriber(),
  "/approvals": subscriber(["?show=everything"]),
  "/approvals/[approvalId]": subscriber(),
  "/balance": builder(["?currency=usd"]),
  "/balance/disputes": builder(),
  "/balance/disputes/[disputeId]": builder(),
  "/balance/orders/[orderId]": builder(),
  "/balance/invoices/[orderId]": { ...subscriber(), owner: "both" },
  "/balance/payouts": builder(),
  "/balance/refunds": builder(["?show=requested"]),
  "/balance/statements": builder(),
  "/balance/withdraw": builder(),
  "/checkout/[planId]": shared(subscriber()),
  "/checkout/[planId]/[orderId]": subscriber(),
  "/customers": builder(["?q=nothing-like-it"]),
  "/customers/[address]": builder(),
  "/delegations": subscriber(),
  "/delegations/[delegationId]": subscriber(),
  "/delegations/new": subscriber(),
  "/docs": alone(),
  "/docs/[guide]": shared(alone()),
  "/docs/api": alone(),
  "/docs/api/[operation]": shared(alone()),
  "/docs/errors": alone(),
  "/docs/errors/[code]": shared(alone()),
  "/doctor": alone(),
  "/earnings": builder(),
  "/explore": builder(["?q=nothing-like-it"]),
  "/home": builder(),
  "/p/[planId]": builder(),
  // Cards are read from the processor, which keeps running.
  "/payment-methods": { ...subscriber(), reads: false },
  "/plans": builder(["?q=nothing-like-it&state=draft"]),
  "/plans/[planId]": builder([
    "?range=24h",
    "?tab=subscribers",
    "?tab=activity",
    "?tab=code",
    "?tab=settings",
  ]),
  "/plans/[planId]/new-version": builder(),
  "/plans/new": alone(["?step=price", "?step=credits", "?step=review"]),
  "/playground": subscriber(),
  "/receipts/[settlementId]": shared(builder()),
  "/s/[shareId]": shared(subscriber()),
  "/settings/api-keys": builder(),
  "/settings/budgets": subscriber(),
  "/settings/audit": builder(["?show=plan"]),
  "/settings/profile": alone(),
  "/settings/webhooks": builder(),
  "/sign-in": guest(),
  "/subscriptions": subscriber(),
  "/subscriptions/[planId]": subscriber(),
  "/tokens": subscriber(),
  "/tokens/[tokenId]": subscriber(),
  "/tokens/inspect": alone(),
  "/tokens/new": subscriber(),
};
