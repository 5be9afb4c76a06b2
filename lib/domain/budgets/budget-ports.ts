import type { ApprovalStatus, PageQuery } from "@turnpike/payments/protocol";
import type { RailPrice } from "../rails/rail.ts";
import type { AuditNote, Page } from "../records.ts";
import type { ApprovalRecord, BudgetsDocument } from "./budget-records.ts";

/** A limit as it is used now; times are null for one call. */
export type LimitUse = BudgetsDocument["limits"][number] & {
  used: bigint;
  startedAt: Date | null;
  resetsAt: Date | null;
};

/** Whose budgets: a delegation's id or the account's address. */
export type BudgetScope = { scope: string; account: string };

export interface Budgets {
  /** The budgets and their use at this moment; null without any. */
  find(
    scope: BudgetScope,
  ): Promise<{ document: BudgetsDocument; use: LimitUse[]; now: Date } | null>;
  /**
   * Replaces the budgets with what `change` makes of them, one change at a time; null removes them. The account's first
   * budgets count what their periods have used so far. What `change` throws leaves them as they are.
   */
  set(
    scope: BudgetScope,
    change: (known?: BudgetsDocument) => BudgetsDocument | null,
    audit: AuditNote,
  ): Promise<void>;
  /** Moves some counts of the release before, or counts for one account of a release without; 0 when there is none. */
  countNext(): Promise<number>;
}

/** A request that asks for a person. */
export type NewApproval = Pick<
  ApprovalRecord,
  | "approvalId"
  | "account"
  | "jti"
  | "delegationId"
  | "subject"
  | "planId"
  | "builder"
  | "agentId"
  | "maxCents"
  | "currency"
  | "maxCredits"
> & {
  /** Null for what the account's rules say at this moment. */
  reason: ApprovalRecord["reason"] | null;
  secretHash: string;
};

/** An approval as its account sees it. */
export type ApprovalView = ApprovalRecord & {
  planName: string;
  /** What tells the rail of the plan's current version. */
  planPrice: RailPrice;
  history: { orders: number; approved: number; declined: number };
};

/** Who decides, and what. */
type ApprovalDecision = {
  approvalId: string;
  account: string;
  state: "approved" | "declined";
  /** Of the secret that the link carried; null without a link. */
  secretHash: string | null;
  keyId: string | null;
};

export interface Approvals {
  /**
   * The open request of this account, token and subject, written unless there is one; null while too many of the account
   * wait. One that was approved for less is replaced.
   */
  ask(request: NewApproval): Promise<{ approvalId: string } | null>;
  find(account: string, approvalId: string): Promise<ApprovalView | null>;
  list(
    account: string,
    query: PageQuery & { status?: ApprovalStatus | undefined; delegationId?: string | undefined },
  ): Promise<Page<ApprovalView>>;
  /** Decides a request that waits; false when it does not, any more. */
  decide(decision: ApprovalDecision, audit: AuditNote): Promise<boolean>;
}
