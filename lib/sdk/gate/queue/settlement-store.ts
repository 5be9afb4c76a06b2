import type { SettlementJob } from "./settlement-queue.ts";

/** Where a durable queue keeps its jobs. Write one for your database to share them between machines. */
export type SettlementStore = {
  /** The jobs of earlier owners, which this store now owns. Called once. */
  load(): Promise<SettlementJob[]>;
  /** The jobs of owners that have gone since, which this store now owns. Called every half minute, where a store has it. */
  adopt?: () => Promise<SettlementJob[]>;
  /** Keeps a job; once it resolves, the job outlives the process. */
  keep(job: SettlementJob): Promise<void>;
  /** Removes a job. If the removal is lost, the job runs once more, which is harmless. */
  remove(job: SettlementJob): Promise<void>;
};

/** A job's name in a store: a request may leave a settle and a release. */
export const jobKey = ({ kind, agentRequestId }: SettlementJob): string =>
  `${kind} ${agentRequestId}`;
