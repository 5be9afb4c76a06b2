import type { SettleInput } from "../../protocol/permission.ts";

/** Work left over from a request: take its credits, or give its hold back. It can be kept as JSON. */
export type SettlementJob =
  | { kind: "settle"; agentRequestId: string; input: SettleJobInput }
  | { kind: "release"; agentRequestId: string };

/** A settle call as it is repeated; it holds the access token, so a store must keep it secret. */
export type SettleJobInput = Omit<SettleInput, "maxAmount" | "reserve"> & { maxAmount: string };

/**
 * Tries a job once: it is `done`; `refused` for good; `declined`, which may change; or to be tried `again`,
 * because nobody knows. Does not throw.
 */
export type RunJob = (job: SettlementJob) => Promise<"done" | "refused" | "declined" | "again">;

/** Hears of a job that will not be tried again though it is neither done nor refused. */
export type GiveUp = (job: SettlementJob, why: string) => void;

/**
 * Where the gate puts what it could not finish. `start` is called once by each gate with the way to
 * run a job; a durable queue then takes up what an earlier process left. `add` must not lose the job
 * once it has returned. Jobs may run more than once: their id makes that harmless. A queue belongs
 * to one account, because whoever takes up a job runs it in its own name.
 */
export type SettlementQueue = {
  start(run: RunJob, giveUp: GiveUp): void;
  add(job: SettlementJob): void | Promise<void>;
};
