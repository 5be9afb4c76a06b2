import type { Logger } from "./logger.ts";
import type { GateObserver } from "./observe.ts";
import type { SettlementQueue } from "./queue/settlement-queue.ts";
import type { AnswerStore } from "./repeats/answer-store.ts";

/** Settings of a gate: where it is reached, what it stores, how long it waits. Each has a default. */
export type GateOptions = {
  /**
   * Where callers reach the gate, if a proxy changes host or path: `https://agent.example/api` for a proxy that removes `/api`.
   * Requirements name it before the path of the request. Route keys have the path as the gate gets it. Default: the request's own host.
   */
  publicUrl?: string;
  /**
   * When credits are burned. `after` (default): once the work has succeeded; a failed settlement is logged and
   * retried in the background, and the response is sent (§3 step 7). `strict`: as `after`, but a failed settlement
   * withholds the response with 402, and event streams are held until they have succeeded. `before`: before the work
   * runs, for work that cannot be undone; work that fails stays charged.
   */
  settle?: "after" | "strict" | "before";
  /**
   * Whether a response is buffered until it is complete, so that the receipt fits in its headers. Default: event
   * streams, long bodies and bodies still being written are streamed; complete ones are buffered. A streamed response
   * is settled when it ends; with `strict` before it begins, whatever it reports later.
   */
  buffer?: boolean;
  /**
   * How much of a request's body the gate reads to tell repeats apart or to check its signature, before its token is
   * verified. A longer body is rejected if its request carries an id. Default: 10 MiB. A Node server reads at least
   * 10 MiB of a body that states no length or that a `credits` function reads.
   */
  maxBodyBytes?: number;
  /**
   * How long the work may take to begin its response; after that the caller gets 504 and pays nothing. Default, and
   * above 24 days: no limit.
   */
  timeoutMs?: number;
  /** Keeps settlements that could not be completed. Default on Node: a file journal; elsewhere memory. */
  queue?: SettlementQueue;
  /**
   * Keeps the responses of requests that carry an id, for their repeats. Default: this process's memory; replicas
   * behind one address should share a store, or a repeat at another one gets 409 instead of the response.
   */
  answers?: AnswerStore;
  /**
   * Leases this many credits of a token at once, where the token allows it, and decides its calls without the service
   * for so many seconds, at most 60, which delays revocation as long. A lease is for calls of one URL at one price;
   * calls without one go to the service. Leased calls are answered before they are settled. Requests that carry an id
   * take part only with `answers`, and signed ones never. Only with `settle: "after"`, which is not the default for MCP and A2A.
   * Default: every call is verified and settled by the service.
   */
  lease?: { credits: number; seconds: number };
  /**
   * Signs the offers of each 402, so that anyone can prove what was asked (x402 `offer-receipt`): by `jws`, or
   * `eip712` for wallets. Requires an agent registered at the route's URL. Default: unsigned.
   */
  signOffers?: "jws" | "eip712";
  /** Receives every decision with its timings: for traces and metrics. */
  observe?: GateObserver;
  /** `false`: do not report to the service what only the gate sees: challenges, refusals and timings. Default: `true`. */
  report?: boolean;
  /** Default: the console. */
  logger?: Logger;
};
