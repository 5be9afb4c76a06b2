/** The words of the protocol: what `@turnpike/payments/protocol` exports. */
export * from "./access-token.ts";
export * from "./access-token-schema.ts";
export type * from "./activity.ts";
export { ReportedRequest, Role, WhoActs } from "./activity.ts";
export * from "./address.ts";
export type * from "./agent.ts";
export type * from "./agent-metadata.ts";
export { AgentMetadata, HttpVerb } from "./agent-metadata.ts";
export type * from "./card.ts";
export * from "./delegation.ts";
export * from "./encoding/base64.ts";
export { canParseUrl } from "./encoding/parse-url.ts";
export type * from "./encoding/signature-base.ts";
export {
  readSignature,
  readSignatureInput,
  signatureBase,
  writeSignatureInput,
} from "./encoding/signature-base.ts";
export * from "./enums.ts";
export type * from "./error-envelope.ts";
export { ErrorDetail, ErrorEnvelope, InvalidReason } from "./error-envelope.ts";
export * from "./errors.ts";
export * from "./events/catalog.ts";
export type * from "./events/event.ts";
export type * from "./exact/exact-payload.ts";
export {
  EXACT,
  isDollarPrice,
  isExactOffer,
  readExactPayload,
  TRANSFER_WITH_AUTHORIZATION,
} from "./exact/exact-payload.ts";
export type * from "./exact/exact-sent.ts";
export type * from "./exact/foreign-offer.ts";
export type * from "./grants.ts";
export type * from "./holdings.ts";
export { ISSUE_WORDS } from "./issue-text.ts";
export * from "./json.ts";
export * from "./key-rights.ts";
export * from "./listing.ts";
export type * from "./match-route.ts";
export {
  isParameter,
  matchesMethod,
  matchesSegments,
  normalizePath,
  pathOf,
} from "./match-route.ts";
export * from "./money.ts";
export * from "./offer-receipt/check-statement.ts";
export type { SignedStatement, SigningKey } from "./offer-receipt/signed.ts";
export * from "./offer-receipt/statement.ts";
export * from "./openapi/openapi.ts";
export type { Alert, AlertKind, AlertRule } from "./operations/alerts.ts";
export type { AuditEntry } from "./operations/audit.ts";
export type { PaymentAuthorization } from "./operations/authorizations.ts";
export type { Balance } from "./operations/balance.ts";
export type {
  Approval,
  ApprovalRule,
  ApprovalStatus,
  BudgetPeriod,
  Budgets,
  BudgetsInput,
} from "./operations/budgets.ts";
export type { DiscoveredResource } from "./operations/discovery.ts";
export type { Dispute, DisputeDetails, DisputeStatus } from "./operations/disputes.ts";
export { EXAMPLES, type Examples } from "./operations/examples.ts";
export type { OrderFiatPlanOptions } from "./operations/fiat-orders.ts";
export type * from "./operations/operation.ts";
export { defineOperations, pathMembers, rightOf } from "./operations/operation.ts";
export type { OrderPlanOptions } from "./operations/orders.ts";
export type { Payout, PayoutAccount } from "./operations/payouts.ts";
export type { RegisterPlanOptions } from "./operations/plans.ts";
export type { Refund, Refundable, RefundPayment, RefundStatus } from "./operations/refunds.ts";
export type { Renewal } from "./operations/renewals.ts";
export type {
  RequestQuery,
  RequestRecord,
  UnsettledAdvice,
  UnsettledRequest,
} from "./operations/requests.ts";
export type { Invoice, Statement, StatementEntry } from "./operations/statements.ts";
export type { WebhookDelivery, WebhookEndpoint } from "./operations/webhooks.ts";
export type { Withdrawal } from "./operations/withdrawals.ts";
export * from "./operations.ts";
export * from "./payment-required.ts";
export * from "./permission.ts";
export * from "./plans/credits.ts";
export {
  getDynamicCreditsConfig,
  getExpirableDurationConfig,
  getFixedCreditsConfig,
  getNonExpirableDurationConfig,
  setHolderRequired,
  setProofRequired,
  setRedemptionType,
} from "./plans/credits-builders.ts";
export {
  ONE_DAY_DURATION,
  ONE_MONTH_DURATION,
  ONE_WEEK_DURATION,
  ONE_YEAR_DURATION,
} from "./plans/credits-rules.ts";
export * from "./plans/plan.ts";
export * from "./plans/plan-id-of.ts";
export * from "./plans/plan-types.ts";
export * from "./plans/price.ts";
export * from "./plans/price-builders.ts";
export { RegisterPlan } from "./plans/register-plan.ts";
export type * from "./primitives.ts";
export {
  Address,
  AgentId,
  Count,
  Decimal,
  Instant,
  isWebUrl,
  PlanId,
  plainLine,
  plainText,
  Uint256,
  WebUrl,
} from "./primitives.ts";
export type * from "./receipt.ts";
export * from "./request-signature.ts";
export type * from "./schemes.ts";
export {
  CHAIN_NETWORKS,
  networkOf,
  readNetwork,
  readScheme,
  schemeOfPrice,
} from "./schemes.ts";
export { MAX_UINT256 } from "./uint256.ts";
export { replaceUnseen, toNfc } from "./visible-text.ts";
export * from "./x402-headers.ts";
