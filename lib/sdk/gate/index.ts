/** The gate in front of an agent: what `@turnpike/payments/gate` exports. */
export { X402_HEADERS } from "../protocol/x402-headers.ts";
export { createExpressMiddleware } from "./adapters/express.ts";
export {
  createFastifyHook,
  type FastifyLikeReply,
  type FastifyLikeRequest,
} from "./adapters/fastify.ts";
export { type HonoLikeContext, PaymentMiddleware, type PaymentVariables } from "./adapters/hono.ts";
export { createNextHandler } from "./adapters/next.ts";
export { createNodeListener } from "./adapters/node.ts";
export type { NodeRequest, NodeResponse } from "./adapters/node-types.ts";
export {
  type AppHandler,
  buildPaymentApp,
  type PaymentApp,
  type PaymentAppOptions,
} from "./app/payment-app.ts";
export type { Delivery } from "./delivery.ts";
export type { Discovery } from "./discovery/bazaar.ts";
export { discoveryFromOpenApi } from "./discovery/from-openapi.ts";
export { createGate, type Gate } from "./gate.ts";
export type { GateOptions } from "./gate-options.ts";
export { REQUEST_ID_HEADER } from "./headers.ts";
export type { Work } from "./http-call.ts";
export type { Logger } from "./logger.ts";
export type {
  GateEvent,
  GateObserver,
  JobEvent,
  Phase,
  RequestEvent,
} from "./observe.ts";
export type { Payment, TokenClaims } from "./payment.ts";
export { createDurableQueue, type DurableQueueOptions } from "./queue/durable-queue.ts";
export { createFileStore, type FileStoreOptions } from "./queue/file-store.ts";
export { createMemoryQueue, type MemoryQueueOptions } from "./queue/memory-queue.ts";
export type { RetryOptions } from "./queue/retry.ts";
export type { GiveUp, RunJob, SettlementJob, SettlementQueue } from "./queue/settlement-queue.ts";
export type { SettlementStore } from "./queue/settlement-store.ts";
export type { AnswerStore, KeptAnswer } from "./repeats/answer-store.ts";
export { createMemoryAnswers, type MemoryAnswersOptions } from "./repeats/memory-answers.ts";
export { IDEMPOTENCY_KEY_HEADER } from "./repeats/repeat-id.ts";
export type { Credits, RouteConfig, RouteMap } from "./routes.ts";
export { type Answered, isKnownSuccess, type SuccessCheck } from "./verdict/outcome.ts";
