import type { MoneyStatus, Settlement } from "../protocol/permission.ts";
import type { Logger } from "./logger.ts";
import type { SettlementJob } from "./queue/settlement-queue.ts";

/** When a part of a request began, in milliseconds since 1970, and how long it took. */
export type Phase = { startedAt: number; durationMs: number };

/** One request through the gate, reported when it is over (§6). */
export type RequestEvent = Phase & {
  type: "request";
  method: string;
  path: string;
  /** The route's key; absent when the path could not be read. */
  route?: string;
  planIds: readonly string[];
  /** The plan of the token. */
  planId?: string;
  agentId?: string;
  agentRequestId?: string;
  scheme?: string;
  network?: string;
  payer?: string;
  /** The token, abbreviated: enough for its owner to recognize it, too little to pay with. */
  paymentToken?: string;
  httpStatus: number;
  moneyStatus: MoneyStatus;
  /** A code: why nothing was charged, why settlement failed, or `cut_off` for a stream that was charged and not delivered whole. */
  reason?: string;
  /** Starts before the token is read, so a missing token has one too. */
  verify?: Phase & { isValid: boolean };
  /** From the work's start to the head of its answer; a stream goes on after it. */
  work?: Phase;
  settle?: Phase & { settlement: Settlement };
};

/**
 * What became of a settlement or a release in the background. A `renewal` is of a reservation whose request is
 * under way: `repeated` a minute later when it failed, `given-up` when the reservation has ended.
 */
export type JobEvent = {
  type: "job";
  job: SettlementJob["kind"] | "renewal";
  agentRequestId: string;
  outcome: "kept" | "repeated" | "done" | "refused" | "given-up";
  reason?: string;
};

/** Everything the gate decides, with its timings. */
export type GateEvent = RequestEvent | JobEvent;

/** Receives the gate's events. It is not awaited, and what it throws is logged. */
export type GateObserver = (event: GateEvent) => void;

/** One observer that calls many; none of them can fail a request. */
export function joinObservers(
  observers: readonly (GateObserver | undefined)[],
  logger: Logger,
): GateObserver {
  const present = observers.filter((each) => each !== undefined);
  const failed = (error: unknown) =>
    logger.error("An observer of the gate failed.", { reason: String(error) });
  return (event) => {
    for (const observe of present) {
      try {
        // An async function fits the type, and its rejection would end the process.
        const told: unknown = observe(event);
        if (told) Promise.resolve(told).catch(failed);
      } catch (error) {
        failed(error);
      }
    }
  };
}
