import type { MoneyStatus, Settlement } from "../protocol/permission.ts";
import type { Logger } from "./logger.ts";
import type { SettlementJob } from "./queue/settlement-queue.ts";

/** When a part of a request began, in milliseconds since 1970, and how long it took. */
export type Phase = { startedAt: number; durationMs: number };

/** One pass of a request through the gate, told when all about it is known (§6). */
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
  /** The token, abbreviated: it names a token to its owner and pays for nothing. */
  paymentToken?: string;
  httpStatus: number;
  moneyStatus: MoneyStatus;
  /** A code: why nothing was charged, or why settlement failed. */
  reason?: string;
  /** Opened before the token is looked at, so that a missing one shows. */
  verify?: Phase & { isValid: boolean };
  /** From the call of the work to its answer's status; a stream goes on after it. */
  work?: Phase;
  settle?: Phase & { settlement: Settlement };
};

/** What became of a settlement, or of a hold to give back, that was left for the background. */
export type JobEvent = {
  type: "job";
  job: SettlementJob["kind"];
  agentRequestId: string;
  outcome: "kept" | "repeated" | "done" | "refused" | "given-up";
  reason?: string;
};

/** Everything the gate decides, and the times it took, pass through here. */
export type GateEvent = RequestEvent | JobEvent;

/** Hears of the gate's events. It is not waited for, and what it throws is logged. */
export type GateObserver = (event: GateEvent) => void;

/** One observer in front of many; none of them can fail a request. */
export function joinObservers(
  observers: readonly (GateObserver | undefined)[],
  logger: Logger,
): GateObserver {
  const present = observers.filter((each) => each !== undefined);
  return (event) => {
    for (const observe of present) {
      try {
        observe(event);
      } catch (error) {
        logger.error("An observer of the gate failed.", { reason: String(error) });
      }
    }
  };
}
