import type * as z from "zod/mini";
import { agentOperations } from "./operations/agents.ts";
import { alertOperations } from "./operations/alerts.ts";
import { apiKeyOperations } from "./operations/api-keys.ts";
import { auditOperations } from "./operations/audit.ts";
import { authorizationOperations } from "./operations/authorizations.ts";
import { balanceOperations } from "./operations/balance.ts";
import { budgetOperations } from "./operations/budgets.ts";
import { delegationOperations } from "./operations/delegations.ts";
import { discoveryOperations } from "./operations/discovery.ts";
import { disputeOperations } from "./operations/disputes.ts";
import { fiatOrderOperations } from "./operations/fiat-orders.ts";
import { grantOperations } from "./operations/grants.ts";
import { holdingOperations } from "./operations/holdings.ts";
import type { Operations } from "./operations/operation.ts";
import { orderOperations } from "./operations/orders.ts";
import { paymentMethodOperations } from "./operations/payment-methods.ts";
import { payoutOperations } from "./operations/payouts.ts";
import { facilitatorOperations } from "./operations/permissions.ts";
import { planOperations } from "./operations/plans.ts";
import { rarePermissionOperations } from "./operations/rare-permissions.ts";
import { refundOperations } from "./operations/refunds.ts";
import { renewalOperations } from "./operations/renewals.ts";
import { requestReportOperations } from "./operations/request-reports.ts";
import { requestOperations } from "./operations/requests.ts";
import { statementOperations } from "./operations/statements.ts";
import { tokenListOperations } from "./operations/token-lists.ts";
import { tokenOperations, x402Operations } from "./operations/tokens.ts";
import { webhookOperations } from "./operations/webhooks.ts";
import { withdrawalOperations } from "./operations/withdrawals.ts";

/** Every operation of the protocol, by the specification's name for it (§4.1) in camelCase. */
export const operations = {
  ...planOperations,
  ...orderOperations,
  ...fiatOrderOperations,
  ...holdingOperations,
  ...agentOperations,
  ...x402Operations,
  ...authorizationOperations,
  ...tokenListOperations,
  ...tokenOperations,
  ...facilitatorOperations,
  ...rarePermissionOperations,
  ...discoveryOperations,
  ...delegationOperations,
  ...grantOperations,
  ...budgetOperations,
  ...paymentMethodOperations,
  ...apiKeyOperations,
  ...auditOperations,
  ...requestOperations,
  ...requestReportOperations,
  ...refundOperations,
  ...renewalOperations,
  ...disputeOperations,
  ...balanceOperations,
  ...statementOperations,
  ...withdrawalOperations,
  ...payoutOperations,
  ...webhookOperations,
  ...alertOperations,
};

/** The protocol's operations by their names: those in the API reference. */
export type ProtocolOperations = typeof operations;
/** The name of one, such as `orderPlan`. */
export type OperationName = keyof ProtocolOperations;

/** What a caller gives: numbers, bigints or decimal strings for amounts. */
export type InputOf<K extends keyof Rows, Rows extends Operations = ProtocolOperations> = z.input<
  Rows[K]["input"]
>;
/** What a verb receives: parsed, amounts as `bigint`. */
export type ParsedInputOf<
  K extends keyof Rows,
  Rows extends Operations = ProtocolOperations,
> = z.output<Rows[K]["input"]>;
/** What an operation answers, parsed. */
export type OutputOf<K extends keyof Rows, Rows extends Operations = ProtocolOperations> = z.output<
  Rows[K]["output"]
>;
