import type { RemovedPart, SharedRun } from "@/lib/console/shared-run.ts";

export type SharedRunRecord = {
  shareId: string;
  account: string;
  run: SharedRun;
  createdAt: Date;
  expiresAt: Date;
};

/** Runs that people shared. What is past its end is not found, swept or not. */
export interface SharedRuns {
  /** False when the account has as many as it may. */
  insert(record: SharedRunRecord, most: number): Promise<boolean>;
  find(shareId: string, now: Date): Promise<SharedRunRecord | null>;
  list(account: string, now: Date): Promise<SharedRunRecord[]>;
  /** Forgets the run, keeping its id; whether it is the account's. A repeat answers the same. */
  end(shareId: string, account: string, now: Date): Promise<boolean>;
  /** Removes those past their end; how many. */
  sweep(now: Date): Promise<number>;
}

/** Takes secrets and people's addresses out of a run, and says what. */
export type RedactRun = (run: SharedRun) => { run: SharedRun; removed: RemovedPart[] };
