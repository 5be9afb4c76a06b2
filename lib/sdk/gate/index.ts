/** The gate in front of an agent: what `@turnpike/payments/gate` exports. */
export { X402_HEADERS } from "../protocol/payment-required.ts";
export { createGate, type Gate, type GateOptions, type Work } from "./gate.ts";
export { REQUEST_ID_HEADER } from "./headers.ts";
export { type HonoLikeContext, PaymentMiddleware } from "./hono.ts";
export type { Logger } from "./logger.ts";
export type { Credits, RouteConfig, RouteMap } from "./routes.ts";
export {
  createMemoryQueue,
  type MemoryQueueOptions,
  type RunJob,
  type SettlementJob,
  type SettlementQueue,
} from "./settlement-queue.ts";
export type { Payment } from "./verify.ts";
