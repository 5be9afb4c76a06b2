import type { LeasedInput, SettleInput } from "../../protocol/permission.ts";

/** What is left to do for a request: settle it, or release its credits. It can be stored as JSON. */
export type SettlementJob =
  | { kind: "settle"; agentRequestId: string; input: SettleJobInput | LeasedInput }
  | { kind: "release"; agentRequestId: string };

/** A settle call as it is retried; it contains the access token, so a store must keep it secret. */
export type SettleJobInput = Omit<SettleInput, "maxAmount" | "reserve"> & { maxAmount: string };

/**
 * Tries a job once: it is `done`; `refused` permanently; `declined`, which may change; or to be tried
 * `again`, because its outcome is unknown. Does not throw.
 */
export type RunJob = (job: SettlementJob) => Promise<"done" | "refused" | "declined" | "again">;

/** Called with a job that is not tried again although it is neither done nor refused. */
export type GiveUp = (job: SettlementJob, why: string) => void;

/**
 * Where the gate puts jobs it could not finish. Each gate calls `start` once with the function that runs
 * a job; a durable queue then resumes the jobs of earlier processes. `add` must not lose a job once it has
 * returned; an answer waits five seconds for it. Jobs may run more than once: their id makes that harmless. A queue belongs to one account,
 * because its jobs run with that account's API key.
 */
export type SettlementQueue = {
  start(run: RunJob, giveUp: GiveUp): void;
  add(job: SettlementJob): void | Promise<void>;
  /** Keeps a job that is not due yet, for the next process in case this one dies. A queue in memory need not. */
  note?(job: SettlementJob): void | Promise<void>;
  /** Drops a noted job, because it was done or never came due. */
  forget?(job: SettlementJob): void | Promise<void>;
};
