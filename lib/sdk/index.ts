/** The client, the gate and the protocol's words: what `@turnpike/payments` exports. */
export type { CallOptions } from "./client/call.ts";
export type { Connection, PaymentOptions } from "./client/connection.ts";
export { createOperations, type OperationMethods } from "./client/create-operations.ts";
export type { EventStreamOptions } from "./client/event-stream.ts";
export type { ExactSigner } from "./client/exact/exact-types.ts";
export type { PaidResponse, PayingFetchOptions } from "./client/paid-response.ts";
export { Payments } from "./client/payments.ts";
export { resolveScheme } from "./client/resolve-scheme.ts";
export type { Cents } from "./client/spending/purchase.ts";
export {
  createSpendStore,
  type SpendCounter,
  type SpendStore,
} from "./client/spending/spend-store.ts";
export type { SpendLimits } from "./client/spending/spending.ts";
export type { X402TokenOptions } from "./client/x402.ts";
export * from "./gate/index.ts";
export * from "./protocol/index.ts";
