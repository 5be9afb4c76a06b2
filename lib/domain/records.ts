import type {
  AccessLimit,
  AgentMetadata,
  KeyPreset,
  KeyRights,
  OrderStatus,
  PageQuery,
  PlanCreditsConfig,
  PlanMetadata,
  PlanPriceConfig,
  PlanState,
} from "@turnpike/payments/protocol";

/** An account: its smart account's address, and the key that may sign for it. */
export type AccountRecord = {
  address: string;
  owner: string;
  /** The owner's private key, sealed; null when a person holds it. */
  ownerKey: string | null;
  isOperator: boolean;
  /** The name the account's owner chose. */
  name?: string | null;
  /** The account this one is the test customer of. */
  testOf?: string | null;
  createdAt: Date;
  /** Since when the operator has it stopped. */
  stoppedAt?: Date | null;
};

export type ApiKeyRecord = {
  keyId: string;
  hash: string;
  account: string;
  name: string;
  last4: string;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  /** The delegation that its tokens and orders are made under automatically. */
  rootDelegationId?: string | null;
  preset: KeyPreset | "custom";
  /** The rights of a custom key; a preset's are in `KEY_PRESETS`. */
  scopes: KeyRights | null;
  /** The key that takes this one's place. */
  replacedBy: string | null;
};

export type PlanRecord = {
  planId: string;
  owner: string;
  state: PlanState;
  version: number;
  accessLimit: AccessLimit;
  isTrial: boolean;
  metadata: PlanMetadata;
  nonce: bigint | null;
  price: PlanPriceConfig;
  credits: PlanCreditsConfig;
  redeemers: string[];
  createdAt: Date;
  updatedAt: Date;
  /** Since when it sells nothing. */
  archivedAt: Date | null;
};

export type AgentEndpoint = { verb: string; url: string };

export type AgentRecord = {
  agentId: string;
  owner: string;
  metadata: AgentMetadata;
  endpoints: AgentEndpoint[];
  openEndpoints: string[];
  definitionUrl: string | null;
  authType: "NONE" | "BASIC" | "BEARER";
  /** Sealed; write-only. */
  credentials: string | null;
  nonce: bigint | null;
  planIds: string[];
  createdAt: Date;
  updatedAt: Date;
  /** Since when it is on no list. */
  archivedAt: Date | null;
  domainProof: DomainProof | null;
  doctorRun: DoctorRun | null;
  /** When its daily check is due, or until when a replica has it; null while switched off. */
  checkDueAt: Date | null;
};

/** That an agent's owner has a domain, as last seen; times are ISO 8601. */
export type DomainProof = {
  /** Scheme, host and port of the endpoints it was proved for: `https://agent.example`. */
  origin: string;
  method: "file" | "dns";
  provedAt: string;
  /** When the proof was last found. */
  seenAt: string;
  checkedAt: string;
  /** Since when the proof is gone. */
  lostAt?: string;
  /** Why the last check did not find it. */
  reason?: string;
};

/** What a run of the doctor found: checks that were skipped are not counted. */
export type DoctorRun = {
  at: string;
  passed: number;
  checks: number;
  /** The plans in the 402 of each endpoint (`POST https://agent.example/ask`) that sent offers, when all were last checked. */
  offers?: Record<string, string[]>;
};

export type DelegationRecord = {
  delegationId: string;
  account: string;
  name?: string | null;
  provider: string;
  /** Until when the owner's wallet may sign its grant; null once it has, or when it need not. */
  signBefore?: Date | null;
  /** The token the owner's own grant pays in; null where the service signs. */
  grantToken?: string | null;
  paymentMethodId: string | null;
  currency: string;
  /** Empty means any plan of the account. */
  planIds: string[];
  spendingLimitCents: bigint;
  spentCents: bigint;
  reservedCents: bigint;
  orderLimit: bigint | null;
  maxTransactions: number | null;
  transactionCount: number;
  sessionKeyAddress: string;
  sessionKey: string;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
};

export type TokenRecord = {
  jti: string;
  account: string;
  planId: string;
  agentId: string | null;
  delegationId: string;
  canOrder: boolean;
  redemptionLimit: number;
  redeemed: number;
  reserved: number;
  orderLimit: bigint;
  orderSpent: bigint;
  orderReserved: bigint;
  issuedAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
  /** How long a gate may decide calls by a lease of it; 0 for none. */
  leaseSecs: number;
};

export type OrderRecord = {
  orderId: string;
  account: string;
  planId: string;
  planVersion: number;
  isTrial: boolean;
  status: OrderStatus;
  scheme: string;
  /** The plan's price in its smallest unit. */
  price: bigint;
  currency: string;
  /** Set aside on the delegation, in its minor units, and on the token, in the price's unit. */
  reservedCents: bigint;
  reservedAmount: bigint;
  /** The price in minor units of its currency; null for a token without a par value. */
  cents: bigint | null;
  delegationId: string | null;
  /** The delegation was created for this order, and is revoked when the order is declined. */
  endsDelegation: boolean;
  jti: string | null;
  /** The agent whose call ordered it. */
  agentId: string | null;
  paymentMethodId: string | null;
  idempotencyKey: string | null;
  fingerprint: string;
  attempt: number;
  reference: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  failureNextStep: string | null;
  /** Of a payment that went through after the order was declined. */
  refundState: "owed" | "done" | "refused" | null;
  refundReference: string | null;
  /** What a chargeback took of the price. */
  reversedAmount: bigint;
  createdAt: Date;
  chargedAt: Date | null;
  updatedAt: Date;
  /** When to look at it again, how often that was done, and since when it needs a person. */
  dueAt: Date | null;
  checks: number;
  stuckAt: Date | null;
};

export type BalanceRecord = {
  available: bigint;
  held: bigint;
  /** Credits that were used and whose payment went back. */
  debt: bigint;
  expiresAt: Date | null;
  /** Whether the terms ordered last take no bearer tokens. */
  holderRequired: boolean;
  orders: number;
};

/** One page of rows and where the next begins. */
export type Page<T> = { items: T[]; nextCursor: string | undefined; total: number };

/** Who changed what; written in the transaction of the change. */
export type AuditNote = {
  account: string;
  keyId: string | null;
  action: string;
  subject: string;
  requestId: string;
  /** Where the call came from; absent for the service's own work. */
  address?: string;
  /** What the change replaced, and by what: the members that differ, as JSON, long values shortened. */
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
};

/** A note as it was written. */
type AuditRecord = AuditNote & { id: number; createdAt: Date };

/** Which notes to list: all of an action's group (`plan`) or one action (`plan.update`), a key's, a time's. */
type AuditQuery = PageQuery & {
  action?: string | undefined;
  keyId?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

export interface AuditTrail {
  /** Notes a change that was made outside the database. */
  write(note: AuditNote): Promise<void>;
  list(account: string, query: AuditQuery): Promise<Page<AuditRecord>>;
}
