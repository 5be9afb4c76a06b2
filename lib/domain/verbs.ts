import type {
  Operations,
  OutputOf,
  ParsedInputOf,
  ProtocolOperations,
} from "@turnpike/payments/protocol";
import type { ConsoleOperations } from "@/lib/console/operations.ts";
import * as apiKeys from "./accounts/api-keys.ts";
import * as auditTrail from "./accounts/audit-trail.ts";
import * as paymentMethods from "./accounts/payment-methods.ts";
import * as alerts from "./alerts/alerts.ts";
import * as emailAddress from "./alerts/email-address.ts";
import * as approvals from "./budgets/approvals.ts";
import * as budgets from "./budgets/budgets.ts";
import type { Context } from "./context.ts";
import * as delegationEffects from "./delegations/delegation-effects.ts";
import * as delegations from "./delegations/delegations.ts";
import * as signedGrants from "./delegations/signed-grants.ts";
import * as discovery from "./discovery/discovery.ts";
import * as events from "./events/events.ts";
import * as webhooks from "./events/webhooks.ts";
import * as authorizations from "./exact/create-authorization.ts";
import * as priced from "./exact/priced-plan.ts";
import * as activity from "./figures/activity.ts";
import * as business from "./figures/business.ts";
import * as delegationTotals from "./figures/delegation-totals.ts";
import * as earnings from "./figures/earnings.ts";
import * as figures from "./figures/figures.ts";
import * as holdings from "./figures/holdings.ts";
import * as marketFacts from "./figures/market-facts.ts";
import * as receipts from "./figures/receipts.ts";
import * as search from "./figures/search.ts";
import * as sharedRuns from "./figures/shared-runs.ts";
import * as balance from "./money/balance.ts";
import * as disputes from "./money/disputes.ts";
import * as payouts from "./money/payouts.ts";
import * as refundable from "./money/refundable.ts";
import * as refunds from "./money/refunds.ts";
import * as renewals from "./money/renewals.ts";
import type { StatementDocument } from "./money/statements.ts";
import * as statements from "./money/statements.ts";
import * as withdrawals from "./money/withdrawals.ts";
import * as orders from "./orders/orders.ts";
import * as leases from "./permissions/lease-permissions.ts";
import * as settle from "./permissions/settle-permissions.ts";
import * as supported from "./permissions/supported.ts";
import * as unsettled from "./permissions/unsettled.ts";
import * as verify from "./permissions/verify-permissions.ts";
import * as agents from "./plans/agents.ts";
import * as checkSchedule from "./plans/check-schedule.ts";
import * as domainProof from "./plans/domain-proof.ts";
import * as ending from "./plans/ending.ts";
import * as plans from "./plans/plans.ts";
import * as mint from "./tokens/access-tokens.ts";
import * as tokens from "./tokens/token-list.ts";

/** One verb per operation, under its name. */
export type Verbs<Rows extends Operations> = {
  [K in keyof Rows]: (
    context: Context,
    input: ParsedInputOf<K, Rows>,
  ) => Promise<Rows[K] extends { isStreamed: true } ? StatementDocument : OutputOf<K, Rows>>;
};

/** The verbs of every operation but the sandbox's. An operation without a verb here does not compile. */
export const verbs: Verbs<ProtocolOperations & ConsoleOperations> = {
  ...apiKeys,
  ...auditTrail,
  ...paymentMethods,
  ...events,
  ...webhooks,
  ...alerts,
  ...emailAddress,
  ...delegationEffects,
  ...delegations,
  ...budgets,
  ...approvals,
  ...delegationTotals,
  ...signedGrants,
  ...activity,
  ...business,
  ...earnings,
  ...figures,
  ...holdings,
  ...marketFacts,
  ...receipts,
  ...search,
  ...sharedRuns,
  ...disputes,
  ...refunds,
  ...refundable,
  ...renewals,
  ...balance,
  ...statements,
  ...payouts,
  ...withdrawals,
  ...orders,
  ...leases,
  ...settle,
  ...supported,
  ...unsettled,
  ...verify,
  ...agents,
  ...plans,
  ...priced,
  ...discovery,
  ...authorizations,
  ...checkSchedule,
  ...domainProof,
  ...ending,
  ...mint,
  ...tokens,
};
