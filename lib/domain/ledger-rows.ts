import type { ChainStatus } from "@turnpike/payments/protocol";
import type { BudgetCause } from "./permissions/causes.ts";

/** Credits to set aside for one request of one builder. */
export type HoldRow = {
  builder: string;
  agentRequestId: string;
  account: string;
  planId: string;
  agentId: string | null;
  jti: string;
  amount: bigint;
  /** The version of the plan whose terms it was decided under. */
  planVersion: number;
  scheme: string;
  ttlMs: number;
  /** Of a lease: how many requests the amount pays for, each the same. */
  requests?: number;
  /** What the call is for. */
  subject: string;
  /** The attempt at the request that reserves, where it has a name. */
  attemptId?: string | undefined;
  /** The payment of the order that the request placed. */
  orderTx: string | null;
};

/**
 * What the ledger did. `stale`: what was read has changed, read again. `existing`: this request has a
 * hold. `settled`: this request is settled. `limit`, `insufficient`: no more redemptions or credits. `crowded`: the
 * builder has as many reservations of this subscriber as it may have at once.
 */
export type HoldOutcome =
  | { outcome: "held"; remaining: bigint; expiresAt: Date }
  | { outcome: "existing" | "settled" | "stale" | "limit" | "insufficient" | "crowded" };

/** What a request's hold is after a renewal; `expiresAt` only while it is held. */
export type RenewedHold = {
  agentRequestId: string;
  state: "held" | "posted" | "released" | "expired" | "unknown";
  expiresAt: Date | null;
};

/** Credits to take for one delivered request. */
export type SettleRow = {
  builder: string;
  agentRequestId: string;
  settlementId: string;
  fingerprint: string;
  account: string;
  planId: string;
  agentId: string | null;
  jti: string;
  delegationId: string;
  amount: bigint;
  scheme: string;
  network: string;
  fromHold: boolean;
  /** The lease it is taken from, where that is not the request's own hold. */
  leaseId?: string;
  orderTx: string | null;
  /** The transaction it has from the start, by its rail. */
  transaction: string;
  chainStatus: ChainStatus;
  mirror: boolean;
  /** The key that settles, valid or not; null for a session, which was checked on its way in. */
  keyHash: string | null;
  /** What the call is for; where the account has budgets. */
  subject?: string;
  /** The paid URL, where a signed receipt may name it. */
  resource: string | null;
};

export type SettleOutcome =
  /** `settledAt` is the time of this settlement; a replayed one was earlier. */
  | { outcome: "settled" | "replayed"; settlementId: string; remaining: bigint; settledAt: Date }
  | { outcome: "conflict" | "unauthorized" | "stale" | "limit" | "insufficient" | BudgetCause };
