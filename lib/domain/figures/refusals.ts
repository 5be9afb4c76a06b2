import type { MoneyStatus, RequestRecord } from "@turnpike/payments/protocol";
import { ATTEMPT_CAUSES, whoActsOf } from "@/lib/console/attempt-causes.ts";
import { CAUSES, type Cause, payerTextOf } from "../permissions/causes.ts";

/** A request the service refused although its token is proven: whose it was, and why. */
export type RefusedAttempt = {
  builder: string;
  agentRequestId: string;
  at: Date;
  /** As far as the requirement names them. */
  method: string;
  path: string;
  planId: string;
  agentId: string | null;
  payer: string;
  tokenId: string;
  delegationId: string;
  cause: Cause;
};

/** Causes in the builder's setup, which a payer reads as `builder_setup`. */
export const SETUP_CAUSES = (Object.keys(CAUSES) as Cause[]).filter((cause) => !payerTextOf(cause));

/** Codes that payers may read; free texts of gates are for the side that served. */
export const KNOWN_CAUSES = Object.keys(ATTEMPT_CAUSES);

/** What a side sees. Who must act follows from the true cause, so both sides see the same. */
export function causeFor(
  told: string | null,
  { cause, moneyStatus }: { cause: string | null; moneyStatus: MoneyStatus },
): Pick<RequestRecord, "cause" | "whoActs"> {
  if (told === null || cause === null) return {};
  const whoActs = whoActsOf({ cause, moneyStatus });
  return { cause: told, ...(whoActs && { whoActs }) };
}

/** What `queue_report` of `event-triggers.sql` makes events of. */
export const EVENT_STATUSES = ["refused", "delivered-unsettled"] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

export interface RefusalLog {
  /** Keeps a refusal to be written later. Returns at once and never throws. */
  note(attempt: RefusedAttempt): void;
  /** Writes what waits, a bounded number at a time; how many are left. */
  flush(): Promise<number>;
  /** Whether so many reported requests of a status and builder make events: only some hundreds a minute do. */
  hasEvents(reported: string, at: Date, count: number): boolean;
  /** So many of them were no events. */
  giveBack(reported: string, count: number): void;
}

const MINUTE_MS = 60_000;
const BATCH = 500;

export type RefusalLimits = {
  perBuilder: number;
  perPayer: number;
  reported: number;
  waiting: number;
};
const LIMITS: RefusalLimits = { perBuilder: 600, perPayer: 120, reported: 300, waiting: 5_000 };

/**
 * Refusals on their way to the activity of both sides. Verify and settle answer first: they only put a refusal here, and
 * a background job writes batches. Under load it sheds: beyond a number a minute for each builder and payer, and
 * beyond what may wait, refusals are dropped, as is a batch that can't be written. The gate's own report still counts
 * those for the builder. Tokens that are not proven name no payer and never come here, so garbage fills no table. Limits
 * hold for each process; what waits when it ends is lost.
 *
 * @param write stores a batch, each request id at most once.
 */
export function createRefusalLog(
  write: (batch: RefusedAttempt[]) => Promise<void>,
  limits: RefusalLimits = LIMITS,
): RefusalLog {
  const waiting = new Map<string, RefusedAttempt>();
  const counts = new Map<string, number>();
  let minute = 0;

  function isWithin(keys: readonly (readonly [key: string, most: number])[]): boolean {
    if (keys.some(([key, most]) => (counts.get(key) ?? 0) >= most)) return false;
    for (const [key] of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return true;
  }

  function beginMinute(at: Date): void {
    const current = Math.floor(at.getTime() / MINUTE_MS);
    if (current > minute) counts.clear();
    minute = Math.max(minute, current);
  }

  return {
    note(attempt) {
      const { builder, payer, agentRequestId, at } = attempt;
      beginMinute(at);
      const key = `${builder}/${agentRequestId}`;
      if (waiting.size >= limits.waiting && !waiting.has(key)) return;
      const isCounted = isWithin([
        [`builder ${builder}`, limits.perBuilder],
        [`payer ${payer}`, limits.perPayer],
      ]);
      if (isCounted) waiting.set(key, attempt);
    },
    async flush() {
      const batch = [...waiting].slice(0, BATCH);
      for (const [key] of batch) waiting.delete(key);
      if (batch.length > 0) await write(batch.map(([, attempt]) => attempt));
      return waiting.size;
    },
    hasEvents(reported, at, count) {
      beginMinute(at);
      const before = counts.get(reported) ?? 0;
      if (before >= limits.reported) return false;
      counts.set(reported, before + count);
      return true;
    },
    giveBack(reported, count) {
      counts.set(reported, Math.max(0, (counts.get(reported) ?? 0) - count));
    },
  };
}
