import type { PermissionFacts } from "@/lib/domain/permissions/permission-facts.ts";

/** One row of the SQL function `read_facts`, as the drivers hand it over. */
export type FactsRow = {
  ord: number;
  now: Date;
  caller: string | null;
  key_id: string | null;
  key_usable: boolean | null;
  caller_is_operator: boolean | null;
  token_account: string | null;
  token_plan: string;
  token_agent: string | null;
  token_delegation: string;
  token_can_order: boolean;
  redemptions_left: string | number | bigint;
  order_left: string;
  token_expires_at: Date;
  token_revoked: boolean;
  delegation_provider: string | null;
  delegation_usable: boolean;
  delegation_expires_at: Date;
  session_key_address: string;
  budget_left: string;
  delegation_order_limit: string | null;
  transactions_left: string | number | bigint | null;
  delegation_currency: string;
  delegation_plans: string[];
  plan_owner: string | null;
  plan_name: string;
  plan_access_limit: "credits" | "time";
  plan_is_trial: boolean;
  plan_version: number;
  is_crypto: boolean;
  min_amount: string;
  max_amount: string;
  is_fixed: boolean;
  redemption_type: number;
  proof_required: boolean;
  granted: string;
  sold_price: { amounts: string[]; tokenAddress: string; currency?: string };
  is_redeemer: boolean;
  agent_owner: string | null;
  agent_endpoints: { verb: string; url: string }[];
  agent_linked: boolean;
  available: string | null;
  held: string;
  balance_live: boolean;
  hold_account: string;
  hold_plan: string;
  hold_jti: string;
  hold_amount: string;
  hold_state: "held" | "posted" | "released" | "expired" | null;
  hold_expires_at: Date;
  hold_usable: boolean;
  settlement_fingerprint: string | null;
  settlement_id: string;
  settled_amount: string;
  settled_remaining: string;
  settled_order_tx: string | null;
  settled_transaction: string;
  settled_chain_status: string;
  settled_account: string;
  settled_plan: string;
  settled_network: string;
};

/** The row as the domain's facts: what was not found is null as a whole. */
export function readFactsRow(row: FactsRow): PermissionFacts {
  return {
    now: row.now,
    caller: readCaller(row),
    token: readToken(row),
    delegation: readDelegation(row),
    plan: readPlan(row),
    agent:
      row.agent_owner === null
        ? null
        : { owner: row.agent_owner, endpoints: row.agent_endpoints, isLinked: row.agent_linked },
    balance:
      row.available === null
        ? null
        : { available: BigInt(row.available), held: BigInt(row.held), isLive: row.balance_live },
    hold: readHold(row),
    settlement: readSettlement(row),
  };
}

function readCaller(row: FactsRow): PermissionFacts["caller"] {
  if (row.caller === null) return null;
  return {
    account: row.caller,
    keyId: row.key_id ?? "",
    isUsable: row.key_usable ?? false,
    isOperator: row.caller_is_operator ?? false,
  };
}

function readToken(row: FactsRow): PermissionFacts["token"] {
  if (row.token_account === null) return null;
  return {
    account: row.token_account,
    planId: row.token_plan,
    agentId: row.token_agent,
    canOrder: row.token_can_order,
    redemptionsLeft: BigInt(row.redemptions_left),
    orderLeft: BigInt(row.order_left),
    expiresAt: row.token_expires_at,
    isRevoked: row.token_revoked,
  };
}

function readDelegation(row: FactsRow): PermissionFacts["delegation"] {
  if (row.delegation_provider === null) return null;
  return {
    delegationId: row.token_delegation,
    provider: row.delegation_provider,
    isRevoked: !row.delegation_usable,
    expiresAt: row.delegation_expires_at,
    sessionKeyAddress: row.session_key_address,
    budgetLeft: BigInt(row.budget_left),
    orderLimit: row.delegation_order_limit === null ? null : BigInt(row.delegation_order_limit),
    transactionsLeft: row.transactions_left === null ? null : BigInt(row.transactions_left),
    currency: row.delegation_currency,
    planIds: row.delegation_plans,
  };
}

function readPlan(row: FactsRow): PermissionFacts["plan"] {
  if (row.plan_owner === null) return null;
  return {
    owner: row.plan_owner,
    name: row.plan_name,
    accessLimit: row.plan_access_limit,
    isTrial: row.plan_is_trial,
    version: row.plan_version,
    isCrypto: row.is_crypto,
    minAmount: BigInt(row.min_amount),
    maxAmount: BigInt(row.max_amount),
    isFixed: row.is_fixed,
    redemptionType: row.redemption_type,
    proofRequired: row.proof_required,
    granted: BigInt(row.granted),
    orderPrice: row.sold_price,
    callerIsRedeemer: row.is_redeemer,
  };
}

function readHold(row: FactsRow): PermissionFacts["hold"] {
  if (row.hold_state === null) return null;
  return {
    account: row.hold_account,
    planId: row.hold_plan,
    jti: row.hold_jti,
    amount: BigInt(row.hold_amount),
    state: row.hold_state,
    expiresAt: row.hold_expires_at,
    isUsable: row.hold_usable,
  };
}

function readSettlement(row: FactsRow): PermissionFacts["settlement"] {
  if (row.settlement_fingerprint === null) return null;
  return {
    fingerprint: row.settlement_fingerprint,
    settlementId: row.settlement_id,
    amount: BigInt(row.settled_amount),
    remaining: BigInt(row.settled_remaining),
    orderTx: row.settled_order_tx,
    transaction: row.settled_transaction,
    chainStatus: row.settled_chain_status,
    account: row.settled_account,
    planId: row.settled_plan,
    network: row.settled_network,
  };
}
