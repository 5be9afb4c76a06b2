import type { AgentEndpoint } from "../records.ts";

/** What one database read says about a request: the ground of verify and settle. */
export type PermissionFacts = {
  now: Date;
  caller: { account: string; keyId: string; isUsable: boolean; isOperator: boolean } | null;
  token: {
    account: string;
    planId: string;
    agentId: string | null;
    canOrder: boolean;
    redemptionsLeft: bigint;
    orderLeft: bigint;
    expiresAt: Date;
    isRevoked: boolean;
  } | null;
  delegation: {
    delegationId: string;
    provider: string;
    isRevoked: boolean;
    expiresAt: Date;
    sessionKeyAddress: string;
    budgetLeft: bigint;
    orderLimit: bigint | null;
    transactionsLeft: bigint | null;
    currency: string;
    planIds: string[];
  } | null;
  plan: {
    owner: string;
    name: string;
    accessLimit: "credits" | "time";
    isTrial: boolean;
    version: number;
    isCrypto: boolean;
    minAmount: bigint;
    maxAmount: bigint;
    isFixed: boolean;
    redemptionType: number;
    proofRequired: boolean;
    /** What a new order grants and costs: the plan's newest version. */
    granted: bigint;
    orderPrice: { amounts: string[]; tokenAddress: string; currency?: string };
    callerIsRedeemer: boolean;
  } | null;
  agent: { owner: string; endpoints: AgentEndpoint[]; isLinked: boolean } | null;
  /** Null when the account never ordered the plan. `isLive` is false once its time is over. */
  balance: { available: bigint; held: bigint; isLive: boolean } | null;
  hold: {
    account: string;
    planId: string;
    jti: string;
    amount: bigint;
    state: "held" | "posted" | "released" | "expired";
    expiresAt: Date;
    isUsable: boolean;
  } | null;
  settlement: {
    fingerprint: string;
    settlementId: string;
    amount: bigint;
    remaining: bigint;
    orderTx: string | null;
    transaction: string;
    chainStatus: string;
    account: string;
    planId: string;
    network: string;
  } | null;
};
