import type {
  AgentMetadata,
  AlertKind,
  KeyRights,
  MoneyStatus,
  PlanMetadata,
  PlanPriceConfig,
  SigningKey,
} from "@turnpike/payments/protocol";
import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  bigserial,
  boolean,
  check,
  customType,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  smallint,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { KnownCard } from "@/lib/domain/alerts/alert-ports.ts";
import type { BudgetsDocument } from "@/lib/domain/budgets/budget-records.ts";
import type { BundledBurn, SettlementProof } from "@/lib/domain/chain-ports.ts";
import type { DeliveryTry } from "@/lib/domain/events/event-ports.ts";
import type { SentAuthorization } from "@/lib/domain/money/account-payments.ts";
import type { DifferenceKind } from "@/lib/domain/reconciliation/difference-ports.ts";
import type { DoctorRun, DomainProof } from "@/lib/domain/records.ts";

/** Credits and money: 78 decimal digits hold 2^256 − 1; a `bigint` on this side. */
const amount = customType<{ data: bigint; driverData: string }>({
  dataType: () => "numeric(78,0)",
  fromDriver: (value) => BigInt(value),
  toDriver: (value) => value.toString(),
});

/** Sums of amounts, which nothing bounds. */
const sumOfAmounts = customType<{ data: bigint; driverData: string }>({
  dataType: () => "numeric",
  fromDriver: (value) => BigInt(value),
  toDriver: (value) => value.toString(),
});

const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
const createdAt = () => instant("created_at").notNull();

const reference = (name: string, column: () => AnyPgColumn, actions?: { onDelete: "cascade" }) =>
  text(name).notNull().references(column, actions);

/** A person or organisation. `address` is its smart account, `owner` the key that may sign for it. */
export const accounts = pgTable(
  "accounts",
  {
    address: text().primaryKey(),
    owner: text().notNull(),
    /** The owner's private key, sealed; null when the owner holds it. */
    ownerKey: text("owner_key"),
    isOperator: boolean("is_operator").notNull().default(false),
    /** The name the owner chose; shown beside the address, never in its place. */
    name: text(),
    /** The account this one is the test customer of. */
    testOf: text("test_of"),
    createdAt: createdAt(),
    /** Since when the operator has it stopped. */
    stoppedAt: instant("stopped_at"),
  },
  (table) => [uniqueIndex("accounts_test_of").on(table.testOf).where(sql`test_of is not null`)],
);

/** For indexes that grow at their end: Postgres leaves a tenth of each page free, which nothing would fill. */
const FULL_PAGES = { fillfactor: 100 };

const accountAddress = () =>
  text()
    .notNull()
    .references(() => accounts.address);
const planId = () => reference("plan_id", () => plans.planId);

/** A browser that signed in. Times are those of the database's machine, so that advancing the sandbox's clock signs no one out. */
export const sessions = pgTable(
  "sessions",
  {
    /** SHA-256 of the cookie's value, which is never stored. */
    hash: text().primaryKey(),
    account: accountAddress(),
    method: text({ enum: ["wallet", "passkey", "demo"] }).notNull(),
    createdAt: createdAt(),
    seenAt: instant("seen_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("sessions_expires").on(table.expiresAt)],
);

/** A question put to a browser that wants to sign in; answered once, by the browser that holds its cookie. */
export const signInChallenges = pgTable("sign_in_challenges", {
  /** SHA-256 of the browser's cookie. */
  hash: text().primaryKey(),
  challenge: text().notNull(),
  expiresAt: instant("expires_at").notNull(),
});

export const passkeys = pgTable(
  "passkeys",
  {
    credentialId: text("credential_id").primaryKey(),
    account: accountAddress(),
    /** COSE, base64url. */
    publicKey: text("public_key").notNull(),
    counter: bigint({ mode: "number" }).notNull(),
    transports: jsonb().$type<string[]>().notNull(),
    createdAt: createdAt(),
    lastUsedAt: instant("last_used_at"),
  },
  (table) => [index("passkeys_account").on(table.account)],
);

export const apiKeys = pgTable(
  "api_keys",
  {
    keyId: text("key_id").primaryKey(),
    /** SHA-256 of the whole key; the key itself is never stored. */
    hash: text().notNull(),
    account: accountAddress(),
    name: text().notNull(),
    last4: text().notNull(),
    createdAt: createdAt(),
    expiresAt: instant("expires_at").notNull(),
    revokedAt: instant("revoked_at"),
    lastUsedAt: instant("last_used_at"),
    /** The delegation that this key's tokens and orders are made under automatically. */
    rootDelegationId: text("root_delegation_id"),
    /** Keys from before presets can do everything. */
    preset: text({ enum: ["gate", "buyer", "read", "full", "custom"] })
      .notNull()
      .default("full"),
    /** The rights of a custom key. */
    scopes: jsonb().$type<KeyRights>(),
    /** The key that takes this one's place; this one expires after the overlap. */
    replacedBy: text("replaced_by"),
  },
  (table) => [
    uniqueIndex("api_keys_hash").on(table.hash),
    index("api_keys_account").on(table.account),
    index("api_keys_root").on(table.rootDelegationId),
  ],
);

export const plans = pgTable(
  "plans",
  {
    planId: text("plan_id").primaryKey(),
    owner: accountAddress(),
    state: text({ enum: ["draft", "listed", "unlisted"] }).notNull(),
    version: integer().notNull(),
    accessLimit: text("access_limit", { enum: ["credits", "time"] }).notNull(),
    isTrial: boolean("is_trial").notNull(),
    metadata: jsonb().$type<PlanMetadata>().notNull(),
    nonce: amount(),
    createdAt: createdAt(),
    updatedAt: instant("updated_at").notNull(),
    /** Since when it sells nothing; what was sold stays usable. */
    archivedAt: instant("archived_at"),
  },
  (table) => [
    uniqueIndex("plans_owner_nonce").on(table.owner, table.nonce),
    index("plans_owner_created").on(table.owner, table.createdAt),
    index("plans_listed").on(table.state, table.createdAt),
  ],
);

/** Price and credits never change in place: those who ordered keep the version they ordered. */
export const planVersions = pgTable(
  "plan_versions",
  {
    planId: planId(),
    version: integer().notNull(),
    price: jsonb().$type<StoredPrice>().notNull(),
    isCrypto: boolean("is_crypto").notNull(),
    granted: amount().notNull(),
    minAmount: amount("min_amount").notNull(),
    maxAmount: amount("max_amount").notNull(),
    isFixed: boolean("is_fixed").notNull(),
    redemptionType: smallint("redemption_type").notNull(),
    proofRequired: boolean("proof_required").notNull(),
    holderRequired: boolean("holder_required").notNull().default(false),
    durationSecs: bigint("duration_secs", { mode: "bigint" }).notNull(),
    nftAddress: text("nft_address"),
    /** What this version's buyers were promised, as in the plan's metadata then. */
    refundUnusedDays: integer("refund_unused_days").notNull().default(0),
    refundFailedCalls: boolean("refund_failed_calls").notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.planId, table.version] }),
    check("plan_versions_range", sql`1 <= min_amount and min_amount <= max_amount`),
  ],
);

/** A price as stored: its amounts are decimal strings, because JSON has no bigint. */
export type StoredPrice = Omit<PlanPriceConfig, "amounts"> & { amounts: string[] };

/** Accounts the owner lets redeem a plan's credits (`ONLY_PLAN_ROLE`). */
export const planRedeemers = pgTable(
  "plan_redeemers",
  {
    planId: planId(),
    account: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.planId, table.account] })],
);

export const agents = pgTable(
  "agents",
  {
    agentId: text("agent_id").primaryKey(),
    owner: accountAddress(),
    metadata: jsonb().$type<AgentMetadata>().notNull(),
    endpoints: jsonb().$type<{ verb: string; url: string }[]>().notNull(),
    openEndpoints: jsonb("open_endpoints").$type<string[]>().notNull(),
    definitionUrl: text("definition_url"),
    authType: text("auth_type", { enum: ["NONE", "BASIC", "BEARER"] }).notNull(),
    /** How to authenticate at the agent, sealed; write-only. */
    credentials: text(),
    nonce: amount(),
    createdAt: createdAt(),
    updatedAt: instant("updated_at").notNull(),
    /** Since when it is on no list. */
    archivedAt: instant("archived_at"),
    /** What proved that its owner has its endpoints' domain. */
    domainProof: jsonb("domain_proof").$type<DomainProof>(),
    /** Its owner's last run of the doctor. */
    doctorRun: jsonb("doctor_run").$type<DoctorRun>(),
    /** When its daily check is due, or until when a replica has it; null while switched off. */
    checkDueAt: instant("check_due_at"),
  },
  (table) => [
    uniqueIndex("agents_owner_nonce").on(table.owner, table.nonce),
    index("agents_owner_created").on(table.owner, table.createdAt),
    index("agents_domain_checked")
      .on(sql`(domain_proof ->> 'checkedAt')`)
      .where(sql`domain_proof is not null and archived_at is null`),
    index("agents_proved")
      .on(table.createdAt, table.agentId)
      .where(sql`domain_proof is not null and archived_at is null`),
    index("agents_checked")
      .on(table.createdAt, table.agentId)
      .where(sql`doctor_run is not null and archived_at is null`),
    index("agents_check_due")
      .on(table.checkDueAt)
      .where(sql`check_due_at is not null and archived_at is null`),
    // Every lookup reads the list of pending entries, so there is none.
    index("agents_endpoints")
      .using("gin", sql`endpoint_keys(owner, endpoints)`)
      .with({ fastupdate: false })
      .where(sql`archived_at is null`),
    index("agents_origins")
      .using("gin", sql`endpoint_origins(owner, endpoints)`)
      .with({ fastupdate: false })
      .where(sql`archived_at is null`),
    index("agents_archived_origins")
      .using("gin", sql`endpoint_origins(owner, endpoints)`)
      .with({ fastupdate: false })
      .where(sql`archived_at is not null`),
  ],
);

export const agentPlans = pgTable(
  "agent_plans",
  {
    agentId: reference("agent_id", () => agents.agentId),
    planId: planId(),
  },
  (table) => [
    primaryKey({ columns: [table.agentId, table.planId] }),
    index("agent_plans_plan").on(table.planId, table.agentId),
  ],
);

/** A spending permission and the session key that acts under it. Its counters never go back. */
export const delegations = pgTable(
  "delegations",
  {
    delegationId: text("delegation_id").primaryKey(),
    account: accountAddress(),
    /** What its owner calls it. */
    name: text(),
    /** By the rail it pays on. */
    provider: text().notNull(),
    /** Until when its owner's wallet may sign its grant; null once signed, or when the service signs. */
    signBefore: instant("sign_before"),
    /** The token the owner's grant pays orders in; null where the service signs a grant for each token. */
    grantToken: text("grant_token"),
    paymentMethodId: text("payment_method_id"),
    currency: text().notNull(),
    /** Empty means any plan of the account. */
    planIds: text("plan_ids").array().notNull(),
    spendingLimitCents: amount("spending_limit_cents").notNull(),
    spentCents: amount("spent_cents").notNull(),
    reservedCents: amount("reserved_cents").notNull(),
    /** For tokens without a par value in cents: the cap in the token's smallest unit. */
    orderLimit: amount("order_limit"),
    maxTransactions: bigint("max_transactions", { mode: "number" }),
    transactionCount: bigint("transaction_count", { mode: "number" }).notNull(),
    sessionKeyAddress: text("session_key_address").notNull(),
    /** The session key's private key, sealed. */
    sessionKey: text("session_key").notNull(),
    createdAt: createdAt(),
    expiresAt: instant("expires_at").notNull(),
    revokedAt: instant("revoked_at"),
  },
  (table) => [
    index("delegations_account").on(table.account, table.createdAt),
    index("delegations_cards")
      .on(table.expiresAt)
      .where(sql`payment_method_id is not null and revoked_at is null`),
    check("delegations_budget", sql`spent_cents + reserved_cents <= spending_limit_cents`),
    check("delegations_counts", sql`spent_cents >= 0 and reserved_cents >= 0`),
    check(
      "delegations_transactions",
      sql`transaction_count <= coalesce(max_transactions, transaction_count)`,
    ),
  ],
);

/** What a delegation or an account may spend in a period, and what waits for a person. */
export const budgets = pgTable(
  "budgets",
  {
    /** The delegation's id, or the account's address. */
    scope: text().primaryKey(),
    account: accountAddress(),
    document: jsonb().$type<BudgetsDocument>().notNull(),
    updatedAt: instant("updated_at").notNull(),
    /** On the account's own row: since when the counts have all that was used before its first budgets. */
    countedAt: instant("counted_at"),
    /** On the account's own row: since when all of this is in the sums, and none in the counts of the release before. */
    summedAt: instant("summed_at"),
  },
  (table) => [index("budgets_account").on(table.account)],
);

/**
 * What an account with budgets used, open orders and calls under way included, by the UTC day of their order or reservation: of
 * the account and of each delegation, for everything, each builder and each agent.
 */
export const budgetSums = pgTable(
  "budget_sums",
  {
    /** The delegation's id, or the account's address. */
    scope: text().notNull(),
    /** The builder's address in lower case, `agent/` and the agent's id, or empty for everything. */
    payee: text().notNull(),
    /** `credits`, or a currency as budgets name it: `usd` for USDC too. */
    unit: text().notNull(),
    day: date().notNull(),
    account: text().notNull(),
    amount: sumOfAmounts().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.scope, table.payee, table.unit, table.day] }),
    index("budget_sums_account").on(table.account, table.day),
  ],
);

/** Money as the release before counted it, until it is moved to the sums. */
export const budgetMoney = pgTable(
  "budget_money",
  {
    account: text().notNull(),
    day: date().notNull(),
    /** Empty without a delegation. */
    delegationId: text("delegation_id").notNull(),
    /** Whose plan was ordered; of a payment elsewhere its recipient. */
    builder: text().notNull(),
    /** Empty without an agent. */
    agentId: text("agent_id").notNull(),
    /** As budgets name it: `usd` for USDC too. */
    currency: text().notNull(),
    cents: sumOfAmounts().notNull(),
  },
  (table) => [
    primaryKey({
      name: "budget_money_key",
      columns: [
        table.account,
        table.day,
        table.delegationId,
        table.builder,
        table.agentId,
        table.currency,
      ],
    }),
  ],
);

/** Credits as the release before counted them, until they are moved to the sums. */
export const budgetUses = pgTable(
  "budget_uses",
  {
    account: text().notNull(),
    day: date().notNull(),
    delegationId: text("delegation_id").notNull(),
    /** Whose plan they were used on. */
    builder: text().notNull(),
    /** Empty without an agent. */
    agentId: text("agent_id").notNull(),
    credits: sumOfAmounts().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.account, table.day, table.delegationId, table.builder, table.agentId],
    }),
  ],
);

/** A request that waits, or waited, for a person. One is open for each account, token and subject. */
export const approvals = pgTable(
  "approvals",
  {
    approvalId: text("approval_id").primaryKey(),
    account: accountAddress(),
    /** The token that asks; the planned order's key where an API key orders without one. */
    jti: text().notNull(),
    delegationId: text("delegation_id"),
    /** Method, path and agent. */
    subject: text().notNull(),
    subjectHash: text("subject_hash").notNull(),
    planId: planId(),
    builder: text().notNull(),
    agentId: text("agent_id"),
    reason: text({ enum: ["amount", "new-builder", "outside-hours"] }).notNull(),
    /** The most that the request may order and take once it is approved. */
    maxCents: amount("max_cents").notNull(),
    currency: text(),
    maxCredits: amount("max_credits").notNull(),
    state: text({ enum: ["pending", "approved", "declined", "expired", "used"] }).notNull(),
    minutes: integer().notNull(),
    /** SHA-256 of the secret in the notice's link; null once someone decided. */
    secretHash: text("secret_hash"),
    createdAt: createdAt(),
    /** Until when a person may decide; once approved, until when the request may pass. */
    expiresAt: instant("expires_at").notNull(),
    decidedAt: instant("decided_at"),
    /** The API key that decided; null for a signed-in person. */
    decidedKey: text("decided_key"),
    decidedBy: text("decided_by", { enum: ["person", "key", "link"] }),
    /** The request that passed, `builder/agentRequestId`, or the order's key. */
    usedBy: text("used_by"),
  },
  (table) => [
    uniqueIndex("approvals_open")
      .on(table.account, table.jti, table.subjectHash)
      .where(sql`state in ('pending', 'approved')`),
    index("approvals_subject").on(table.account, table.jti, table.subjectHash),
    index("approvals_account").on(table.account, table.createdAt),
    index("approvals_undecided").on(table.createdAt).where(sql`decided_at is null`),
  ],
);

export const tokens = pgTable(
  "tokens",
  {
    jti: text().primaryKey(),
    account: accountAddress(),
    planId: planId(),
    agentId: text("agent_id"),
    delegationId: reference("delegation_id", () => delegations.delegationId),
    canOrder: boolean("can_order").notNull(),
    redemptionLimit: bigint("redemption_limit", { mode: "number" }).notNull(),
    redeemed: bigint({ mode: "number" }).notNull(),
    reserved: bigint({ mode: "number" }).notNull(),
    orderLimit: amount("order_limit").notNull(),
    orderSpent: amount("order_spent").notNull(),
    orderReserved: amount("order_reserved").notNull(),
    issuedAt: instant("issued_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
    revokedAt: instant("revoked_at"),
    /** When it last paid; written with `redeemed`. */
    lastUsedAt: instant("last_used_at"),
    /** How long a gate may decide calls by a lease of it; 0 for none. */
    leaseSecs: integer("lease_secs").notNull().default(0),
  },
  (table) => [
    index("tokens_account").on(table.account, table.issuedAt),
    index("tokens_delegation").on(table.delegationId),
    check(
      "tokens_redemptions",
      sql`redeemed >= 0 and reserved >= 0 and redeemed + reserved <= redemption_limit`,
    ),
    check(
      "tokens_orders",
      sql`order_spent >= 0 and order_reserved >= 0 and order_spent + order_reserved <= order_limit`,
    ),
  ],
);

/** What an account has on a plan. Kept beside the transfers and checked against them. */
export const balances = pgTable(
  "balances",
  {
    account: text().notNull(),
    planId: planId(),
    available: sumOfAmounts().notNull(),
    held: sumOfAmounts().notNull(),
    /** Credits that were used and whose payment went back; the next order's credits repay it first. */
    debt: sumOfAmounts().notNull().default(sql`0`),
    /** The plan version last ordered: its credits rules hold for this account. */
    planVersion: integer("plan_version").notNull(),
    expiresAt: instant("expires_at"),
    /** Number and hash of the last transfer: the head of this balance's chain. */
    seq: bigint({ mode: "number" }).notNull(),
    hash: bytes().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.planId] }),
    index("balances_plan").on(table.planId, table.account),
    index("balances_expires").on(table.expiresAt).where(sql`expires_at is not null`),
    check("balances_available", sql`available >= 0`),
    check("balances_held", sql`held >= 0`),
    check("balances_debt", sql`debt >= 0`),
  ],
);

/** The ledger: append-only, one row moves an amount from one side to another. */
export const transfers = pgTable(
  "transfers",
  {
    account: text().notNull(),
    planId: text("plan_id").notNull(),
    /** Its place in the balance's chain, from 1 without a gap. */
    seq: bigint({ mode: "number" }).notNull(),
    kind: text({
      enum: [
        "mint",
        "hold",
        "post",
        "void",
        "burn",
        "expire",
        // A payment that went back, and what follows from it.
        "refund",
        "owe",
        "repay",
        "restore",
        "forgive",
        // A settled call that was refunded in credits.
        "return",
      ],
    }).notNull(),
    debit: text().notNull(),
    credit: text().notNull(),
    amount: amount().notNull(),
    /** The order, hold or settlement that caused it. */
    ref: text().notNull(),
    createdAt: createdAt(),
    hash: bytes().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.planId, table.seq] }),
    uniqueIndex("transfers_mint_once").on(table.ref).where(sql`kind = 'mint'`),
    // All but those of requests: few, and what was bought, expired or went back is summed over them alone.
    index("transfers_rare")
      .on(table.planId, table.account, table.kind, table.createdAt)
      .where(
        sql`kind in ('mint', 'expire', 'refund', 'owe', 'repay', 'restore', 'forgive', 'return')`,
      ),
    // Of one refund or chargeback.
    index("transfers_taken_back")
      .on(table.ref)
      .where(sql`kind in ('refund', 'owe', 'restore', 'forgive', 'return')`),
    // Rows arrive in the order of time: some kilobytes of index find those of the last minutes.
    index("transfers_recent").using("brin", table.createdAt),
    check("transfers_amount", sql`amount > 0`),
    check("transfers_sides", sql`debit <> credit`),
  ],
);

/** Credits set aside between verify and settle. */
export const holds = pgTable(
  "holds",
  {
    /** `builder/agentRequestId`. One column, so that no other index ever looks as good to the planner. */
    requestKey: text("request_key").primaryKey(),
    builder: text().notNull(),
    agentRequestId: text("agent_request_id").notNull(),
    account: text().notNull(),
    planId: text("plan_id").notNull(),
    agentId: text("agent_id"),
    jti: text().notNull(),
    amount: amount().notNull(),
    /** Whose terms it was decided under; null when a replica of release 0.1.0 made it. */
    planVersion: integer("plan_version"),
    state: text({ enum: ["held", "posted", "released", "expired"] }).notNull(),
    scheme: text().notNull(),
    createdAt: createdAt(),
    expiresAt: instant("expires_at").notNull(),
    resolvedAt: instant("resolved_at"),
    /** Of a lease: how many requests its amount still pays for. Null for the hold of one request. */
    requests: integer(),
    /** What it was made for; null when a replica of an earlier release made it. */
    subjectHash: text("subject_hash"),
    /** A hash of the attempt at the request that made it, where that has a name. */
    attempt: bigint({ mode: "bigint" }),
    /** The payment of the order that its request placed for it, for the receipt. */
    orderTx: text("order_tx"),
  },
  (table) => [
    index("holds_open").on(table.expiresAt).where(sql`state = 'held'`),
    // A posted hold is found by its settlement: it leaves both, and a settle writes to neither.
    index("holds_account_unposted")
      .on(table.account, table.createdAt, table.agentRequestId)
      .where(sql`state <> 'posted'`),
    index("holds_builder_unposted")
      .on(table.builder, table.createdAt)
      .where(sql`state <> 'posted'`),
  ],
);

/** One settled request. The row is the answer: a repeat reads it, for ever. */
export const settlements = pgTable(
  "settlements",
  {
    /** `builder/agentRequestId`. One column, so that no other index ever looks as good to the planner. */
    requestKey: text("request_key").primaryKey(),
    builder: text().notNull(),
    agentRequestId: text("agent_request_id").notNull(),
    settlementId: text("settlement_id").notNull(),
    /** SHA-256 of the request, to tell a repeat from a conflict. */
    fingerprint: text().notNull(),
    account: text().notNull(),
    planId: text("plan_id").notNull(),
    agentId: text("agent_id"),
    jti: text().notNull(),
    delegationId: text("delegation_id").notNull(),
    scheme: text().notNull(),
    network: text().notNull(),
    amount: amount().notNull(),
    remaining: amount().notNull(),
    fromHold: boolean("from_hold").notNull(),
    orderTx: text("order_tx"),
    transaction: text().notNull(),
    chainStatus: text("chain_status", {
      enum: ["none", "pending", "submitted", "included", "final", "failed"],
    }).notNull(),
    createdAt: createdAt(),
    /** The paid URL, where a signed receipt may name it. */
    resource: text(),
    /** The lease that paid. */
    leaseId: text("lease_id"),
  },
  (table) => [
    uniqueIndex("settlements_id").on(table.settlementId).with(FULL_PAGES),
    index("settlements_account").on(table.account, table.createdAt).with(FULL_PAGES),
    index("settlements_builder").on(table.builder, table.createdAt).with(FULL_PAGES),
    // A payer looks for an id without knowing the builder. Ids begin with the time, so new ones are on one page, where a hash
    // would read and write another page for each.
    index("settlements_request").on(table.agentRequestId),
    index("settlements_recent").using("brin", table.createdAt),
  ],
);

/** What gates saw of requests, and what the service refused, kept for a month: beside the ledger, never in its place. */
export const requestReports = pgTable(
  "request_reports",
  {
    /** `builder/agentRequestId`, as in holds and settlements. */
    requestKey: text("request_key").primaryKey(),
    builder: accountAddress(),
    agentRequestId: text("agent_request_id").notNull(),
    at: instant("at").notNull(),
    method: text().notNull(),
    path: text().notNull(),
    planId: text("plan_id"),
    agentId: text("agent_id"),
    httpStatus: smallint("http_status").notNull(),
    /** Never `settled`: that is for the ledger to say. */
    moneyStatus: text("money_status", {
      enum: ["free", "challenged", "refused", "delivered-unsettled", "not-charged", "unknown"],
    }).notNull(),
    reason: text(),
    verifyMs: real("verify_ms"),
    workMs: real("work_ms"),
    settleMs: real("settle_ms"),
    /** Of a request that the service refused: whose token it was, and why. Never written by a gate's report. */
    payer: text(),
    jti: text(),
    delegationId: text("delegation_id"),
    cause: text(),
  },
  (table) => [
    index("request_reports_builder").on(table.builder, table.at),
    index("request_reports_payer").on(table.payer, table.at).where(sql`payer is not null`),
    index("request_reports_status").on(table.builder, table.moneyStatus, table.at),
    index("request_reports_at").on(table.at),
  ],
);

/** Requests by account, role and hour: written behind the ledger by `functions/request-sums.sql`, and equal to it. */
export const requestSums = pgTable(
  "request_sums",
  {
    account: text().notNull(),
    role: text({ enum: ["builder", "subscriber"] }).notNull(),
    hour: instant("hour").notNull(),
    /** Empty without one, as `agent_id`. */
    planId: text("plan_id").notNull(),
    agentId: text("agent_id").notNull(),
    /** Whether the agent is the report's and not the ledger's. */
    isAgentReported: boolean("is_agent_reported").notNull(),
    /** Of a builder: what test customers called. */
    isTest: boolean("is_test").notNull(),
    status: text().$type<MoneyStatus>().notNull(),
    n: bigint({ mode: "number" }).notNull(),
    delivered: bigint({ mode: "number" }).notNull(),
    credits: sumOfAmounts().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.account,
        table.role,
        table.hour,
        table.planId,
        table.agentId,
        table.isAgentReported,
        table.isTest,
        table.status,
      ],
    }),
    index("request_sums_hour").using("brin", table.hour),
  ],
);

/** What a request was counted as in a side's sums, while that can change: so that it is counted once. */
export const countedRequests = pgTable(
  "counted_requests",
  {
    requestKey: text("request_key").notNull(),
    account: text().notNull(),
    role: text({ enum: ["builder", "subscriber"] }).notNull(),
    at: instant("at").notNull(),
    planId: text("plan_id"),
    agentId: text("agent_id"),
    isAgentReported: boolean("is_agent_reported").notNull(),
    isTest: boolean("is_test").notNull(),
    status: text().$type<MoneyStatus>().notNull(),
    isDelivered: boolean("is_delivered").notNull(),
    credits: amount().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.requestKey, table.role] }),
    index("counted_requests_at").on(table.at),
  ],
);

const unpaidColumns = () => ({
  account: text().notNull(),
  role: text({ enum: ["builder", "subscriber"] }).notNull(),
  /** Empty without one, as `agent_id`, `cause`, `reason`, `payer` and `route`. */
  planId: text("plan_id").notNull(),
  agentId: text("agent_id").notNull(),
  /** Whether the ledger names the agent, and not only a report. */
  isAgentProven: boolean("is_agent_proven").notNull(),
  isTest: boolean("is_test").notNull(),
  /** Counts in public facts: reserved by someone other than the builder, and not settled. */
  isPublic: boolean("is_public").notNull(),
  status: text().$type<MoneyStatus>().notNull(),
  cause: text().notNull(),
  reason: text().notNull(),
});

/** Requests of a side that were neither paid nor free, by the hour and by why. */
export const unpaidSums = pgTable(
  "unpaid_sums",
  { ...unpaidColumns(), hour: instant("hour").notNull(), n: bigint({ mode: "number" }).notNull() },
  (table) => [
    primaryKey({
      name: "unpaid_sums_pk",
      columns: [
        table.account,
        table.role,
        table.hour,
        table.planId,
        table.agentId,
        table.isAgentProven,
        table.isTest,
        table.isPublic,
        table.status,
        table.cause,
        table.reason,
      ],
    }),
    index("unpaid_sums_hour").using("brin", table.hour),
  ],
);

/** What an unpaid request was counted as in these sums: so that it is counted once. */
export const countedUnpaid = pgTable(
  "counted_unpaid",
  {
    requestKey: text("request_key").notNull(),
    ...unpaidColumns(),
    at: instant("at").notNull(),
    payer: text().notNull(),
    route: text().notNull(),
    /** The same for requests of one cause, payer, route, plan and agent. */
    source: bigint({ mode: "bigint" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.requestKey, table.role] }),
    index("counted_unpaid_at").on(table.at),
    index("counted_unpaid_source").on(
      table.account,
      table.role,
      table.source,
      table.at.desc().nullsFirst(),
    ),
  ],
);

/** Requests that the sums have to look at again, written with their change. */
export const requestChanges = pgTable("request_changes", {
  id: bigserial({ mode: "number" }).primaryKey(),
  /** Whether `refs` are ids of new settlements; else they are request keys. */
  isSettled: boolean("is_settled").notNull(),
  refs: text().array().notNull(),
});

/** Accounts in the sums. */
export const summedAccounts = pgTable(
  "summed_accounts",
  {
    account: text().notNull(),
    role: text({ enum: ["builder", "subscriber"] }).notNull(),
    /** About how many requests it had; with few they are read one by one. */
    seen: bigint({ mode: "number" }).notNull(),
    /** Since when its sums are complete; infinity when they begin, null before. */
    coveredFrom: instant("covered_from"),
    /** The same of its unpaid requests by cause. */
    unpaidFrom: instant("unpaid_from"),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.role] }),
    index("summed_accounts_covered").on(table.coveredFrom),
    index("summed_accounts_unpaid").on(table.unpaidFrom),
  ],
);

/** One row. Hours before `closedBefore` stay as they are: their reports may be deleted. */
export const requestSumsState = pgTable("request_sums_state", {
  id: smallint().primaryKey(),
  closedBefore: instant("closed_before").notNull(),
});

/** 402s that the service itself provoked for a test, each with the report of the gate that gave it. */
export const testCalls = pgTable(
  "test_calls",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    builder: accountAddress(),
    method: text().notNull(),
    path: text().notNull(),
    sentAt: instant("sent_at").notNull(),
    answeredAt: instant("answered_at").notNull(),
    /** Null until the gate has reported the request. */
    requestKey: text("request_key").references(() => requestReports.requestKey, {
      onDelete: "cascade",
    }),
  },
  (table) => [
    uniqueIndex("test_calls_request").on(table.requestKey),
    index("test_calls_open").on(table.builder, table.sentAt).where(sql`request_key is null`),
  ],
);

/** One purchase, from reservation on. */
export const orders = pgTable(
  "orders",
  {
    orderId: text("order_id").primaryKey(),
    account: accountAddress(),
    planId: planId(),
    planVersion: integer("plan_version").notNull(),
    isTrial: boolean("is_trial").notNull(),
    status: text({
      enum: ["reserved", "charging", "minted", "declined", "requires_action", "refunded"],
    }).notNull(),
    scheme: text().notNull(),
    price: amount().notNull(),
    currency: text().notNull(),
    /** What was set aside on the delegation and the token until the charge's outcome is known. */
    reservedCents: amount("reserved_cents").notNull(),
    reservedAmount: amount("reserved_amount").notNull(),
    /** The price in minor units of its currency; null for a token without a par value. */
    cents: amount(),
    delegationId: text("delegation_id"),
    /** The delegation was created for this order, and is revoked when the order is declined. */
    endsDelegation: boolean("ends_delegation").notNull().default(false),
    jti: text(),
    /** The agent whose call ordered it. */
    agentId: text("agent_id"),
    paymentMethodId: text("payment_method_id"),
    idempotencyKey: text("idempotency_key"),
    fingerprint: text().notNull(),
    attempt: integer().notNull(),
    /** The payment's id outside: a transaction hash or a payment intent. */
    reference: text(),
    failureCode: text("failure_code"),
    failureMessage: text("failure_message"),
    /** What the buyer can do about it. */
    failureNextStep: text("failure_next_step"),
    /** A payment that went through after the order was declined goes back. */
    refundState: text("refund_state", { enum: ["owed", "done", "refused"] }),
    refundReference: text("refund_reference"),
    /** What a chargeback took of the price; the credits it paid for went with it. */
    reversedAmount: amount("reversed_amount").notNull().default(sql`0`),
    /** Whether the service holds the money for the plan's receivers; set when the order is minted. */
    isCollected: boolean("is_collected").notNull().default(false),
    createdAt: createdAt(),
    chargedAt: instant("charged_at"),
    updatedAt: instant("updated_at").notNull(),
    /** When to look at it again; null once nothing is open. */
    dueAt: instant("due_at"),
    /** How often it was looked at since it was last moved. */
    checks: integer().notNull().default(0),
    /** Since when it needs a person: past its deadline and still open. */
    stuckAt: instant("stuck_at"),
  },
  (table) => [
    uniqueIndex("orders_key").on(table.account, table.idempotencyKey),
    uniqueIndex("orders_trial_once")
      .on(table.planId, table.account)
      .where(sql`is_trial and status <> 'declined'`),
    index("orders_due").on(table.dueAt).where(sql`due_at is not null`),
    index("orders_account").on(table.account, table.createdAt),
    index("orders_plan").on(table.planId, sql`coalesce(charged_at, created_at)`),
    index("orders_updated").on(table.updatedAt),
    index("orders_topped_up")
      .on(table.account, table.planId)
      .where(sql`jti is not null and status in ('reserved', 'charging', 'requires_action')`),
    index("orders_reference").on(table.reference).where(sql`reference is not null`),
    index("orders_stuck")
      .on(table.orderId)
      .where(sql`stuck_at is not null or refund_state = 'refused'`),
  ],
);

/** Transfers that wallets authorized (x402 `exact`): one row pays for one request, however often it is sent. */
export const authorizations = pgTable(
  "authorizations",
  {
    /** Follows from asset, payer and nonce, as the chain has it; also the `jti` of the hold. */
    id: text().primaryKey(),
    payer: text().notNull(),
    asset: text().notNull(),
    payTo: text("pay_to").notNull(),
    value: amount().notNull(),
    validAfter: amount("valid_after").notNull(),
    validBefore: amount("valid_before").notNull(),
    nonce: text().notNull(),
    signature: text().notNull(),
    /** Who asked for it, and the plan version it buys; null where it pays for nothing of ours. */
    builder: text().notNull(),
    planId: text("plan_id"),
    planVersion: integer("plan_version"),
    /** The request a transfer for another server was settled for. */
    agentRequestId: text("agent_request_id"),
    /** What its capture costs the service at most; null where that counts towards no budget. */
    gas: integer(),
    /** Where a search for its transfer starts. */
    sinceBlock: bigint("since_block", { mode: "bigint" }).notNull(),
    state: text({ enum: ["open", "captured", "refused"] }).notNull(),
    transaction: text(),
    createdAt: createdAt(),
    /** When its capture was written. */
    closedAt: instant("closed_at"),
  },
  (table) => [
    index("authorizations_payer").on(table.payer, table.closedAt),
    index("authorizations_gas").on(table.builder, table.createdAt).where(sql`gas is not null`),
  ],
);

/** Money that card orders collected for receivers, append-only: what is owed is the sum of its rows. */
export const payables = pgTable(
  "payables",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    /** Null in rows of a payout, which sums over orders. */
    orderId: text("order_id").references(() => orders.orderId),
    payoutId: text("payout_id").references(() => payouts.payoutId),
    /** The plan's owner, who is paid, and the address its price names. */
    owner: text().notNull(),
    receiver: text().notNull(),
    currency: text().notNull(),
    kind: text({
      enum: ["earned", "paid-out", "reversed", "restored", "refunded", "fee", "returned"],
    }).notNull(),
    /** In the price's smallest unit. */
    amount: amount().notNull(),
    /** The payment that brought it or took it away. */
    reference: text(),
    createdAt: createdAt(),
  },
  (table) => [
    index("payables_owner_at").on(table.owner, table.createdAt),
    index("payables_order").on(table.orderId),
    index("payables_taken")
      .on(table.owner, table.currency)
      .where(sql`kind in ('refunded', 'reversed')`),
    uniqueIndex("payables_payout_once").on(table.payoutId, table.kind),
    check("payables_amount", sql`amount > 0`),
    check("payables_cause", sql`(order_id is null) <> (payout_id is null)`),
  ],
);

/** Payables that are not part of `owedSums` yet: sales that have not cleared, and what came since the last look. */
export const openPayables = pgTable(
  "open_payables",
  { id: bigint({ mode: "number" }).primaryKey(), owner: text().notNull() },
  (table) => [index("open_payables_owner").on(table.owner)],
);

/** What `sums_owed` says of a builder's other payables, which count the same for good. */
export const owedSums = pgTable(
  "owed_sums",
  {
    owner: text().notNull(),
    currency: text().notNull(),
    amount: sumOfAmounts().notNull(),
    cleared: sumOfAmounts().notNull(),
    converted: sumOfAmounts().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.currency] })],
);

/** What came and went by an account's sales, by month: those that were written before `statementMarks.summedTo`. */
export const statementMonths = pgTable(
  "statement_months",
  {
    account: text().notNull(),
    token: text().notNull(),
    /** `2026-01`, of UTC. */
    month: text().notNull(),
    unit: text().notNull(),
    came: sumOfAmounts().notNull(),
    /** Below zero. */
    went: sumOfAmounts().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.token, table.month, table.unit] })],
);

export const statementMarks = pgTable(
  "statement_marks",
  {
    account: text().notNull(),
    token: text().notNull(),
    summedTo: instant("summed_to").notNull(),
    /** How many it had sold then. */
    sales: bigint({ mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.token] })],
);

/** When the processor makes the money of a collected order available. Builders are paid out of their own cleared sales. */
export const clearings = pgTable(
  "clearings",
  {
    orderId: text("order_id")
      .primaryKey()
      .references(() => orders.orderId),
    /** As it arrives in the platform's balance: another one than the order's where the processor converts it. */
    currency: text(),
    /** Null until the processor says it. */
    availableOn: instant("available_on"),
    /** When to ask for it; null once it is known. */
    dueAt: instant("due_at"),
    /** Since when the processor answers that it does not know it. */
    absentSince: instant("absent_since"),
  },
  (table) => [index("clearings_due").on(table.dueAt).where(sql`due_at is not null`)],
);

// --- Money out ---

/** Payments out of accounts whose owner key the service keeps: withdrawals, and refunds on chain. */
export const accountPayments = pgTable(
  "account_payments",
  {
    paymentId: text("payment_id").primaryKey(),
    kind: text({ enum: ["withdrawal", "refund", "exact"] }).notNull(),
    account: accountAddress(),
    token: text().notNull(),
    to: text("recipient").notNull(),
    /** In the token's smallest unit. */
    amount: amount().notNull(),
    /** `paid` and `refused` are final. `open`: not sent yet, or its outcome is unknown. */
    state: text({ enum: ["open", "paid", "refused"] }).notNull(),
    /** Known before the operation is sent. */
    operationHash: text("operation_hash"),
    /** Where to look for the operation from. */
    sinceBlock: bigint("since_block", { mode: "bigint" }),
    /** The transaction that was signed last, written before it is sent. */
    sent: jsonb().$type<{ sender: string; nonce: number; hash: string }>(),
    txHash: text("tx_hash"),
    failureCode: text("failure_code"),
    failureMessage: text("failure_message"),
    idempotencyKey: text("idempotency_key"),
    /** What was signed for a seller, who may capture it until it expires, and the offer it answers. */
    authorization: jsonb().$type<SentAuthorization>(),
    /** The delegation it is spent under, and the part of its limit that is set aside. */
    delegationId: text("delegation_id"),
    delegationCents: amount("delegation_cents"),
    createdAt: createdAt(),
    closedAt: instant("closed_at"),
    /** When to look at it again; null once it is closed. */
    dueAt: instant("due_at"),
  },
  (table) => [
    uniqueIndex("account_payments_key").on(table.account, table.idempotencyKey),
    index("account_payments_account").on(table.account, table.createdAt),
    index("account_payments_due").on(table.dueAt).where(sql`due_at is not null`),
    check("account_payments_amount", sql`amount > 0`),
  ],
);

/** Where an account may withdraw to, each from a while after it was added. */
export const withdrawalAddresses = pgTable(
  "withdrawal_addresses",
  {
    account: accountAddress(),
    address: text().notNull(),
    name: text(),
    createdAt: createdAt(),
    usableAt: instant("usable_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.address] })],
);

/** Stablecoin that arrived at an account, read from the chain's events; rewritten where the chain reorganizes. */
export const deposits = pgTable(
  "deposits",
  {
    txHash: text("tx_hash").notNull(),
    logIndex: integer("log_index").notNull(),
    account: accountAddress(),
    token: text().notNull(),
    sender: text().notNull(),
    amount: amount().notNull(),
    block: bigint({ mode: "bigint" }).notNull(),
    /** The block's time. */
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.txHash, table.logIndex] }),
    index("deposits_account").on(table.account, table.createdAt),
  ],
);

/** Time plans that are ordered again before their time ends, within a delegation and at the price agreed to. */
export const renewals = pgTable(
  "renewals",
  {
    account: accountAddress(),
    planId: planId(),
    state: text({ enum: ["on", "off", "stopped"] }).notNull(),
    delegationId: reference("delegation_id", () => delegations.delegationId),
    /** The API key that switched it on, as which it orders; null for a person. */
    keyId: text("key_id"),
    /** In the currency's smallest unit. */
    price: amount().notNull(),
    currency: text().notNull(),
    durationSecs: amount("duration_secs").notNull(),
    /** The end of the period that the next order prolongs, and which attempt at it is next. */
    periodEnd: instant("period_end").notNull(),
    attempt: integer().notNull().default(0),
    failureCode: text("failure_code"),
    failureMessage: text("failure_message"),
    createdAt: createdAt(),
    updatedAt: instant("updated_at").notNull(),
    /** When to order, or to look again; null unless it is on. */
    dueAt: instant("due_at"),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.planId] }),
    index("renewals_due").on(table.dueAt).where(sql`due_at is not null`),
  ],
);

/** Which customer of the card processor an account is, by its address in lower case. */
export const cardCustomers = pgTable("card_customers", {
  account: text().primaryKey(),
  customer: text().notNull(),
});

/** A builder's account at the card processor, to which card earnings are paid out. */
export const payoutAccounts = pgTable("payout_accounts", {
  account: accountAddress().primaryKey(),
  processorAccount: text("processor_account").notNull(),
  status: text({ enum: ["onboarding", "active", "restricted"] }).notNull(),
  /** What the processor still asks for, as it names it. */
  missing: jsonb().$type<string[]>().notNull(),
  schedule: text({ enum: ["manual", "daily", "weekly"] }).notNull(),
  createdAt: createdAt(),
  updatedAt: instant("updated_at").notNull(),
  /** When the schedule pays out next; null when it is manual. */
  nextPayoutAt: instant("next_payout_at"),
});

/** One payout: a transfer to the builder's account at the processor, and from there to their bank. */
export const payouts = pgTable(
  "payouts",
  {
    payoutId: text("payout_id").primaryKey(),
    account: accountAddress(),
    processorAccount: text("processor_account").notNull(),
    currency: text().notNull(),
    /** In the currency's smallest unit that prices have, as in payables. */
    amount: amount().notNull(),
    /** `open`: its outcome is unknown. `sent`: on its way to the bank. `returning`: its transfer is being reversed. */
    state: text({ enum: ["open", "sent", "paid", "returning", "failed"] }).notNull(),
    transferReference: text("transfer_reference"),
    payoutReference: text("payout_reference"),
    failureCode: text("failure_code"),
    failureMessage: text("failure_message"),
    arrivesAt: instant("arrives_at"),
    idempotencyKey: text("idempotency_key"),
    createdAt: createdAt(),
    updatedAt: instant("updated_at").notNull(),
    /** When to look at it again; null once nothing can change. */
    dueAt: instant("due_at"),
  },
  (table) => [
    uniqueIndex("payouts_key").on(table.account, table.idempotencyKey),
    uniqueIndex("payouts_reference").on(table.payoutReference),
    index("payouts_account").on(table.account, table.createdAt),
    index("payouts_due").on(table.dueAt).where(sql`due_at is not null`),
    check("payouts_amount", sql`amount > 0`),
  ],
);

// --- Money back ---

/** Money or credits that go back to a subscriber, from the request on. `open`: the credits left, the money may have. */
export const refunds = pgTable(
  "refunds",
  {
    refundId: text("refund_id").primaryKey(),
    /** Null for a call that is refunded in credits. */
    orderId: text("order_id").references(() => orders.orderId),
    /** The settled call it is for, as in settlements. */
    requestKey: text("request_key"),
    account: accountAddress(),
    owner: accountAddress(),
    planId: planId(),
    scheme: text().notNull(),
    currency: text().notNull(),
    /** In the price's smallest unit; 0 when credits go back. */
    amount: amount().notNull(),
    /** What left the balance for it, debt included; of a call, what it got back. */
    credits: amount().notNull(),
    /** Of a time plan, the seconds that left the balance for it; null where that was not noted: their part of the price. */
    timeSecs: doublePrecision("time_secs"),
    state: text({ enum: ["requested", "declined", "open", "paid", "refused"] }).notNull(),
    /** Who made it: one of the two sides, a rule of the plan, or the processor's dashboard. */
    madeBy: text("made_by", { enum: ["builder", "subscriber", "rule", "processor"] }).notNull(),
    reason: text(),
    /** The builder's answer to the subscriber. */
    message: text(),
    idempotencyKey: text("idempotency_key"),
    fingerprint: text().notNull(),
    /** The processor's refund or the transaction. */
    reference: text(),
    failureCode: text("failure_code"),
    failureMessage: text("failure_message"),
    createdAt: createdAt(),
    updatedAt: instant("updated_at").notNull(),
    /** Until when a request can be answered. */
    expiresAt: instant("expires_at"),
    /** Of the payment, where the builder's own wallet holds the key of their account. */
    signature: text(),
    /** When to look at it again; null once nothing is open. */
    dueAt: instant("due_at"),
    checks: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex("refunds_key").on(table.idempotencyKey),
    uniqueIndex("refunds_reference").on(table.reference),
    uniqueIndex("refunds_requested")
      .on(sql`coalesce(request_key, order_id)`)
      .where(sql`state = 'requested'`),
    uniqueIndex("refunds_call")
      .on(table.requestKey)
      .where(sql`request_key is not null and state in ('open', 'paid')`),
    index("refunds_order").on(table.orderId),
    index("refunds_updated").on(table.updatedAt),
    index("refunds_owner").on(table.owner, table.createdAt),
    index("refunds_account").on(table.account, table.createdAt),
    index("refunds_due").on(table.dueAt).where(sql`due_at is not null`),
  ],
);

/**
 * Of a time plan, what refunds and chargebacks took beyond the time that was left, until it is given back. The balance ends
 * so far in the past; an order that begins later forgets it, and it is not given back then.
 */
export const timeDebts = pgTable(
  "time_debts",
  {
    /** The refund, or the order of a chargeback. */
    ref: text().primaryKey(),
    account: text().notNull(),
    planId: text("plan_id").notNull(),
    openSecs: doublePrecision("open_secs").notNull(),
    forgottenSecs: doublePrecision("forgotten_secs").notNull(),
  },
  (table) => [index("time_debts_balance").on(table.account, table.planId)],
);

/** Chargebacks as the processor reports them, and the evidence that was sent. */
export const disputes = pgTable(
  "disputes",
  {
    disputeId: text("dispute_id").primaryKey(),
    orderId: reference("order_id", () => orders.orderId),
    owner: accountAddress(),
    /** In the price's smallest unit. */
    amount: amount().notNull(),
    reason: text().notNull(),
    status: text({ enum: ["needs_response", "under_review", "won", "lost"] }).notNull(),
    respondBy: instant("respond_by"),
    /** What was sent, and when; written before it is sent. */
    evidence: jsonb().$type<Record<string, string>>(),
    submittedAt: instant("submitted_at"),
    createdAt: createdAt(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [
    index("disputes_owner").on(table.owner, table.createdAt),
    index("disputes_order").on(table.orderId),
  ],
);

/** One invoice per paid order, numbered per seller without a gap; names are as they were then. */
export const invoices = pgTable(
  "invoices",
  {
    owner: accountAddress(),
    number: bigint({ mode: "number" }).notNull(),
    orderId: reference("order_id", () => orders.orderId),
    buyer: accountAddress(),
    ownerName: text("owner_name"),
    buyerName: text("buyer_name"),
    planName: text("plan_name").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.owner, table.number] }),
    uniqueIndex("invoices_order").on(table.orderId),
    index("invoices_buyer").on(table.buyer),
  ],
);

/** Work that follows a committed change: written with it, done after it, at least once. */
export const outbox = pgTable(
  "outbox",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    kind: text().notNull(),
    ref: text().notNull(),
    payload: jsonb().$type<Record<string, unknown>>().notNull(),
    state: text({ enum: ["open", "done", "dead"] }).notNull(),
    attempts: integer().notNull(),
    dueAt: instant("due_at").notNull(),
    /** Grows with each lease; a worker that lost its lease cannot complete. */
    fence: bigint({ mode: "number" }).notNull(),
    createdAt: createdAt(),
    doneAt: instant("done_at"),
    lastError: text("last_error"),
  },
  (table) => [
    uniqueIndex("outbox_once").on(table.kind, table.ref),
    index("outbox_open").on(table.kind, table.dueAt).where(sql`state = 'open'`),
  ],
);

// --- Events ---

/** Events as their transactions wrote them: not numbered yet. `sequence_events` moves them to `events`. */
export const eventQueue = pgTable("event_queue", {
  id: bigserial({ mode: "number" }).primaryKey(),
  type: text().notNull(),
  /** Whose events they become, and the object they are about; null with `refs`. */
  accounts: text().array(),
  subject: text(),
  data: jsonb().$type<Record<string, unknown>>(),
  /** Of a batch of settlements, their ids: the events follow from their rows. */
  refs: text().array(),
  createdAt: createdAt(),
});

/** Append-only. Numbered for each account from 1 without a gap, and chained. */
export const events = pgTable(
  "events",
  {
    account: text().notNull(),
    sequence: bigint({ mode: "number" }).notNull(),
    /** Its place among all accounts' events: one sequencer writes at a time, so what a reader has seen gets no gaps. */
    position: bigserial({ mode: "number" }).notNull(),
    type: text().notNull(),
    /** Deliveries keep the order of events with the same subject. */
    subject: text().notNull(),
    /** Canonical JSON, as it was hashed. Null for a settlement: `event_data` words it from its row, named by `subject`. */
    data: text(),
    createdAt: createdAt(),
    hash: bytes().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.sequence] }),
    uniqueIndex("events_position").on(table.position).with(FULL_PAGES),
  ],
);

/** Number and hash of each account's last event. */
export const eventHeads = pgTable("event_heads", {
  account: text().primaryKey(),
  sequence: bigint({ mode: "number" }).notNull(),
  hash: bytes().notNull(),
});

/** The last event of each account that was deleted with age: where what is left of its chain begins. */
export const eventCuts = pgTable("event_cuts", {
  account: text().primaryKey(),
  sequence: bigint({ mode: "number" }).notNull(),
  hash: bytes().notNull(),
  cutAt: instant("cut_at").notNull(),
});

/** The copy of the database that events were last numbered in; another one means that it was restored. */
export const eventOrigin = pgTable("event_origin", {
  id: smallint().primaryKey(),
  origin: text().notNull(),
});

/** Where an account's events are sent. */
export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    endpointId: text("endpoint_id").primaryKey(),
    account: accountAddress(),
    url: text().notNull(),
    /** Types, `order.*` for a group, `*` for all. */
    events: text().array().notNull(),
    state: text({ enum: ["active", "disabled"] }).notNull(),
    /** Why it was disabled, and from which event on nothing was sent. */
    disabledReason: text("disabled_reason"),
    disabledAt: instant("disabled_at"),
    disabledSequence: bigint("disabled_sequence", { mode: "number" }),
    /** Signing secrets, sealed, with the last characters of each; the previous one also signs until its time. */
    secret: text().notNull(),
    secretHint: text("secret_hint").notNull(),
    secretAt: instant("secret_at").notNull(),
    previousSecret: text("previous_secret"),
    previousHint: text("previous_hint"),
    previousUntil: instant("previous_until"),
    createdAt: createdAt(),
    /** Since when its owner has it no more; it goes once its deliveries are deleted, which can be millions. */
    removedAt: instant("removed_at"),
  },
  (table) => [
    index("webhook_endpoints_account").on(table.account, table.createdAt),
    index("webhook_endpoints_removed").on(table.endpointId).where(sql`removed_at is not null`),
  ],
);

/** Secrets of an endpoint that were rotated out before its previous one, and also sign until their own end. */
export const olderWebhookSecrets = pgTable(
  "older_webhook_secrets",
  {
    secretId: text("secret_id").primaryKey(),
    endpointId: text("endpoint_id")
      .notNull()
      .references(() => webhookEndpoints.endpointId, { onDelete: "cascade" }),
    /** Sealed for the row of the endpoint. */
    secret: text().notNull(),
    hint: text().notNull(),
    until: instant("until").notNull(),
    /** When it was rotated out. */
    createdAt: createdAt().defaultNow(),
  },
  (table) => [index("older_webhook_secrets_endpoint").on(table.endpointId)],
);

/** One event for one endpoint. Written with the event's number, sent after it, at least once. */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    endpointId: reference("endpoint_id", () => webhookEndpoints.endpointId, {
      onDelete: "cascade",
    }),
    account: text().notNull(),
    sequence: bigint({ mode: "number" }).notNull(),
    type: text().notNull(),
    subject: text().notNull(),
    state: text({ enum: ["waiting", "delivered", "failed"] }).notNull(),
    /** That ended since it was written or replayed. */
    attempts: integer().notNull(),
    dueAt: instant("due_at").notNull(),
    /** The replica that sends it has it until then, by the machine's clock; `fence` grows with each lease. */
    leasedUntil: instant("leased_until"),
    fence: bigint({ mode: "number" }).notNull(),
    /** The latest tries, the last one last. */
    tries: jsonb().$type<DeliveryTry[]>().notNull(),
    createdAt: createdAt(),
    deliveredAt: instant("delivered_at"),
  },
  (table) => [
    primaryKey({ columns: [table.endpointId, table.sequence] }),
    index("webhook_deliveries_due")
      .on(table.endpointId, table.sequence, table.dueAt)
      .where(sql`state = 'waiting'`),
    index("webhook_deliveries_ended").on(table.createdAt).where(sql`state <> 'waiting'`),
    // Lists newest first, and the counts of a week without reading the rows.
    index("webhook_deliveries_created").on(table.endpointId, table.createdAt, table.state),
    index("webhook_deliveries_failed")
      .on(table.endpointId, table.createdAt)
      .where(sql`state = 'failed'`),
    index("webhook_deliveries_subject")
      .on(table.endpointId, table.subject, table.sequence)
      .where(sql`state = 'waiting'`),
  ],
);

// --- Alerts and mail ---

/** What an account wants to be told of; the service's own rules have no rows. */
export const alertRules = pgTable(
  "alert_rules",
  {
    ruleId: text("rule_id").primaryKey(),
    account: accountAddress(),
    kind: text().$type<AlertKind>().notNull(),
    /** The plan, delegation, agent, token, key, card or webhook endpoint it is about; empty for all of the account's. */
    object: text().notNull(),
    threshold: integer().notNull(),
    email: boolean().notNull(),
    webhook: boolean().notNull(),
    isOn: boolean("is_on").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("alert_rules_same").on(table.account, table.kind, table.object, table.threshold),
  ],
);

/** One crossing of one rule by one object, from when it was noticed until it was over. */
export const alerts = pgTable(
  "alerts",
  {
    alertId: text("alert_id").primaryKey(),
    account: accountAddress(),
    ruleId: text("rule_id").notNull(),
    kind: text().$type<AlertKind>().notNull(),
    object: text().notNull(),
    /** What of the object is measured, where that can be several things. */
    measure: text().notNull(),
    /** The object's name then, or its id. */
    name: text().notNull(),
    /** Rounded down to one decimal, when it was noticed. */
    value: text().notNull(),
    threshold: integer().notNull(),
    /** When what it is about expires; null for other kinds. */
    expiresAt: instant("expires_at"),
    email: boolean().notNull(),
    webhook: boolean().notNull(),
    createdAt: createdAt(),
    closedAt: instant("closed_at"),
  },
  (table) => [
    uniqueIndex("alerts_open")
      .on(table.account, table.ruleId, table.object, table.measure)
      .where(sql`closed_at is null`),
    index("alerts_account").on(table.account, table.createdAt),
  ],
);

/** When to look at an account's rules again. Those of the slow kind, which read more rows, have their own time. */
export const alertAccounts = pgTable(
  "alert_accounts",
  {
    account: accountAddress().primaryKey(),
    dueAt: instant("due_at").notNull(),
    slowAt: instant("slow_at").notNull(),
    /** The account's last event. */
    seenAt: instant("seen_at").notNull(),
    /** Saved cards as last read from the processor, and when to read them again. */
    cards: jsonb().$type<KnownCard[]>().notNull(),
    cardsAt: instant("cards_at").notNull(),
    /** The quarters of an hour of calls that were reported too late for the last look at the rates. */
    late: instant("late").array(),
  },
  (table) => [index("alert_accounts_due").on(table.dueAt)],
);

/** Up to which event the accounts with news were found. */
export const alertCursor = pgTable("alert_cursor", {
  id: smallint().primaryKey(),
  position: bigint({ mode: "number" }).notNull(),
});

/** Parts outside the service that do not work now, and since when. */
export const troubledServices = pgTable("troubled_services", {
  name: text().primaryKey(),
  since: instant("since").notNull(),
});

/** Where an account's mail goes; a new address counts once its owner has followed the link sent to it. */
export const emailAddresses = pgTable("email_addresses", {
  account: accountAddress().primaryKey(),
  address: text(),
  newAddress: text("new_address"),
  /** SHA-256 of the link's secret, and until when it is valid. */
  secretHash: text("secret_hash"),
  secretUntil: instant("secret_until"),
});

/** One mail, sent once; what it says is written when it is sent, so that no secret of a link is stored. */
export const mails = pgTable(
  "mails",
  {
    mailId: text("mail_id").primaryKey(),
    account: accountAddress(),
    /** What it is about, and that one's id. */
    kind: text({ enum: ["alert", "approval", "confirmation", "address-changed"] }).notNull(),
    ref: text().notNull(),
    recipient: text().notNull(),
    state: text({ enum: ["waiting", "sent", "failed", "dropped"] }).notNull(),
    attempts: integer().notNull(),
    dueAt: instant("due_at").notNull(),
    /** The replica that sends it has it until then, by the database's own clock; `fence` grows with each lease. */
    leasedUntil: instant("leased_until"),
    fence: bigint({ mode: "number" }).notNull(),
    lastError: text("last_error"),
    createdAt: createdAt(),
    sentAt: instant("sent_at"),
  },
  (table) => [
    uniqueIndex("mails_ref").on(table.kind, table.ref),
    index("mails_due").on(table.dueAt).where(sql`state = 'waiting'`),
    index("mails_ended").on(table.createdAt).where(sql`state <> 'waiting'`),
    index("mails_account").on(table.account, table.createdAt),
  ],
);

/** Who changed what, written in the same transaction as the change. */
export const audit = pgTable(
  "audit",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    account: text().notNull(),
    keyId: text("key_id"),
    action: text().notNull(),
    subject: text().notNull(),
    requestId: text("request_id").notNull(),
    address: text(),
    before: jsonb().$type<Record<string, unknown>>(),
    after: jsonb().$type<Record<string, unknown>>(),
    createdAt: createdAt(),
  },
  (table) => [index("audit_account").on(table.account, table.createdAt)],
);

/** The sandbox's clock runs this much ahead of the machine's; `live` has no row. */
export const clock = pgTable("clock", {
  id: smallint().primaryKey(),
  offsetMs: bigint("offset_ms", { mode: "number" }).notNull(),
});

/** What an account's owner signed once: the right of a session key to act for it on chain, within limits. */
export const chainGrants = pgTable(
  "chain_grants",
  {
    grantId: text("grant_id").primaryKey(),
    account: accountAddress(),
    /**
     * `delegation`: a delegation's, for orders and burns; `order` and `burn`: for one of them. `root`: orders by API key.
     * `redeem`: a plan owner's, to burn what others hold.
     */
    kind: text({ enum: ["delegation", "order", "burn", "root", "redeem"] }).notNull(),
    delegationId: text("delegation_id"),
    orderToken: text("order_token").notNull(),
    /** In the token's smallest unit, over the grant's whole life. */
    orderLimit: amount("order_limit").notNull(),
    sessionKeyAddress: text("session_key_address").notNull(),
    /** The session key's private key, sealed. */
    sessionKey: text("session_key").notNull(),
    /** The signed grant as the delegation manager reads it, in hex. */
    signed: text().notNull(),
    validUntil: instant("valid_until").notNull(),
    createdAt: createdAt(),
    /** Since when budgets other than those it was signed with apply. */
    replacedAt: instant("replaced_at"),
    revokedAt: instant("revoked_at"),
  },
  (table) => [
    index("chain_grants_replaced")
      .on(table.replacedAt)
      .where(sql`replaced_at is not null and revoked_at is null`),
    index("chain_grants_account").on(table.account, table.kind, table.orderToken),
    index("chain_grants_delegation").on(table.delegationId),
    uniqueIndex("chain_grants_session_key").on(table.sessionKeyAddress, table.orderToken),
  ],
);

/** Which grant pays an order on chain, written before the first attempt and never changed: one order, one nonce. */
export const chainOrders = pgTable(
  "chain_orders",
  {
    orderId: text("order_id")
      .primaryKey()
      .references(() => orders.orderId),
    /** None where the order was read back from the chain, which does not say under which grant it was paid. */
    grantId: text("grant_id").references(() => chainGrants.grantId),
    total: amount().notNull(),
    state: text({ enum: ["open", "paid", "refused"] }).notNull(),
    /** What was sent for it has used, 1 from before it is sent; null where nothing was. */
    gas: integer(),
    /** Where to look for the operation from. */
    sinceBlock: bigint("since_block", { mode: "bigint" }).notNull(),
    /** The block that holds the payment. */
    block: bigint({ mode: "bigint" }),
    createdAt: createdAt(),
  },
  (table) => [
    index("chain_orders_grant").on(table.grantId),
    index("chain_orders_block").on(table.block),
  ],
);

/** Gas that the service paid for, by the hour. */
export const sponsoredGas = pgTable("sponsored_gas", {
  hour: instant("hour").primaryKey(),
  gas: bigint({ mode: "bigint" }).notNull(),
});

/** Who may send for a settler key now. `until` is by the machine's clock, which the sandbox's offset does not move. */
export const chainLeases = pgTable("chain_leases", {
  lane: text().primaryKey(),
  owner: text().notNull(),
  fence: bigint({ mode: "number" }).notNull(),
  until: instant("until").notNull(),
});

/** Bundles of burns: written before they are sent, closed when the chain says what became of them. */
export const chainBundles = pgTable(
  "chain_bundles",
  {
    bundleId: text("bundle_id").primaryKey(),
    seq: bigserial({ mode: "number" }).notNull(),
    lane: text().notNull(),
    state: text({ enum: ["open", "closed", "final"] }).notNull(),
    block: bigint({ mode: "bigint" }),
    burns: jsonb().$type<StoredBurn[]>().notNull(),
    transactions: jsonb().$type<{ hash: string; raw: string; nonce: number }[]>().notNull(),
    createdAt: createdAt(),
    closedAt: instant("closed_at"),
  },
  (table) => [
    index("chain_bundles_unfinal").on(table.lane, table.seq).where(sql`state <> 'final'`),
    index("chain_bundles_block").on(table.block),
    index("chain_bundles_hashes").using("gin", sql`transactions jsonb_path_ops`),
  ],
);

/** Events of the contracts that the ledger did not ask for; open ones stop sales until they are explained. */
export const chainFindings = pgTable(
  "chain_findings",
  {
    /** The transaction and the event's place in its block. */
    findingId: text("finding_id").primaryKey(),
    /** The `Plans` contract. */
    contract: text().notNull(),
    block: bigint({ mode: "bigint" }).notNull(),
    transaction: text().notNull(),
    kind: text().notNull(),
    state: text({ enum: ["open", "noted", "explained"] }).notNull(),
    detail: text().notNull(),
    account: text(),
    planId: text("plan_id"),
    /** What it added to the account's credits on chain. */
    credits: amount().notNull(),
    note: text(),
    foundAt: instant("found_at").notNull(),
    explainedAt: instant("explained_at"),
  },
  (table) => [
    index("chain_findings_open").on(table.contract).where(sql`state = 'open'`),
    index("chain_findings_account").on(table.account, table.planId),
  ],
);

/** How ledger and card processor differ, and broken rules of the ledger. */
export const differences = pgTable(
  "differences",
  {
    differenceId: text("difference_id").primaryKey(),
    kind: text().$type<DifferenceKind>().notNull(),
    subject: text().notNull(),
    reference: text(),
    detail: text().notNull(),
    state: text({ enum: ["open", "explained", "resolved"] }).notNull(),
    note: text(),
    foundAt: instant("found_at").notNull(),
    closedAt: instant("closed_at"),
  },
  (table) => [index("differences_open").on(table.foundAt).where(sql`state = 'open'`)],
);

/** Up to when a side was compared, in its own time. A restored copy compares again from its own watermark. */
export const comparisonWatermarks = pgTable("comparison_watermarks", {
  name: text({ enum: ["ledger", "processor", "rules"] }).primaryKey(),
  at: instant("at").notNull(),
});

/** Up to which transfer a balance was found equal to its transfers, and what it was then. */
export const checkedBalances = pgTable(
  "checked_balances",
  {
    account: text().notNull(),
    planId: text("plan_id").notNull(),
    seq: bigint({ mode: "number" }).notNull(),
    available: sumOfAmounts().notNull(),
    held: sumOfAmounts().notNull(),
    debt: sumOfAmounts().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.planId] })],
);

/** Up to which block the events of a `Plans` contract were judged. */
export const chainCursors = pgTable(
  "chain_cursors",
  {
    contract: text().primaryKey(),
    block: bigint({ mode: "bigint" }).notNull(),
    /** The block that was the latest when its reading began; null where that is not known. */
    first: bigint({ mode: "bigint" }),
  },
  (table) => [index("chain_cursors_behind").on(table.block).where(sql`block < first`)],
);

/** A bundled burn as stored: amounts are decimal strings, because JSON has no bigint. */
export type StoredBurn = StoredAmounts<Omit<BundledBurn, "settlements">> & {
  settlements: StoredAmounts<SettlementProof>[];
};
type StoredAmounts<T> = { [K in keyof T]: T[K] extends bigint ? string : T[K] };

/** The bundle a settlement went into last; its burn there holds root and proof. */
export const chainBurns = pgTable(
  "chain_burns",
  {
    settlementId: text("settlement_id").primaryKey(),
    bundleId: reference("bundle_id", () => chainBundles.bundleId),
  },
  (table) => [index("chain_burns_bundle").on(table.bundleId)],
);

/** Public keys that signed offers and receipts, kept when their root key is rotated out. */
export const signingKeys = pgTable("signing_keys", {
  kid: text().primaryKey(),
  jwk: jsonb().$type<SigningKey>().notNull(),
  createdAt: createdAt(),
});

/** Which content of each file in `functions/` this database has. */
export const functionFiles = pgTable("function_files", {
  name: text().primaryKey(),
  version: integer().notNull(),
  content: text().notNull(),
  appliedAt: instant("applied_at").notNull().defaultNow(),
});

/** The environment, contracts and card account that credits, tokens and payments of this database belong to: one row. */
export const madeFor = pgTable(
  "made_for",
  {
    only: boolean().primaryKey().default(true),
    environment: text().notNull(),
    chainId: integer("chain_id").notNull(),
    plans: text().notNull(),
    /** The card processor's account; null until a service has read which it uses. */
    cardAccount: text("card_account"),
    since: instant("since").notNull().defaultNow(),
  },
  (table) => [check("made_for_only", sql`${table.only}`)],
);

/** Every settler that a service of this database has started with. */
export const settlers = pgTable("settlers", {
  address: text().primaryKey(),
  since: instant("since").notNull().defaultNow(),
});

/** A run of the playground that its owner shared, redacted before it came here. */
export const sharedRuns = pgTable(
  "shared_runs",
  {
    /** Random, and all that opens it. */
    shareId: text("share_id").primaryKey(),
    account: accountAddress(),
    /** Empty once its owner revoked the link. */
    run: text().notNull(),
    endedAt: instant("ended_at"),
    createdAt: createdAt(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("shared_runs_account").on(table.account),
    index("shared_runs_expires").on(table.expiresAt),
  ],
);
