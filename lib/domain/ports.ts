import type {
  DelegationQuery,
  Environment,
  HolderKey,
  OfferPayload,
  PageQuery,
  Receipt,
  ReceiptPayload,
  SignedStatement,
  SigningKey,
  StatementKind,
  Subscriber,
  TokenPayload,
} from "@turnpike/payments/protocol";
import type { SignIns } from "./accounts/sign-in-ports.ts";
import type { Alerts, Mails, SendMail } from "./alerts/alert-ports.ts";
import type { Approvals, Budgets } from "./budgets/budget-ports.ts";
import type { BudgetsDocument } from "./budgets/budget-records.ts";
import type { CardDelegations, CardProcessor } from "./card-ports.ts";
import type { OwnerGrants } from "./delegations/grant-ports.ts";
import type { Events, Webhooks } from "./events/event-ports.ts";
import type { Authorizations, ExactChain } from "./exact/exact-ports.ts";
import type { Activity, Figures } from "./figures/activity-ports.ts";
import type { Business } from "./figures/business-ports.ts";
import type { Holdings } from "./figures/holdings-ports.ts";
import type { RefusalLog } from "./figures/refusals.ts";
import type { Search } from "./figures/search-ports.ts";
import type { RedactRun, SharedRuns } from "./figures/shared-run-ports.ts";
import type { HoldOutcome, HoldRow, RenewedHold, SettleOutcome, SettleRow } from "./ledger-rows.ts";
import type { AccountPaymentJournal, AccountPayments } from "./money/account-payments.ts";
import type { MoneyBook, Stablecoin } from "./money/balance-ports.ts";
import type { Disputes } from "./money/dispute-ports.ts";
import type { PayoutProcessor, Payouts, PlatformFee } from "./money/payout-ports.ts";
import type { Refunds } from "./money/refund-ports.ts";
import type { Renewals } from "./money/renewal-ports.ts";
import type { Invoices, Statements } from "./money/statement-ports.ts";
import type { Orders } from "./orders/order-ports.ts";
import type { FactsCache, PermissionFacts } from "./permissions/permission-facts.ts";
import type { Unsettled } from "./permissions/unsettled-ports.ts";
import type { Rails } from "./rails/rails.ts";
import type {
  AccountRecord,
  AgentEndpoint,
  AgentRecord,
  ApiKeyRecord,
  AuditNote,
  AuditTrail,
  BalanceRecord,
  DelegationRecord,
  DoctorRun,
  DomainProof,
  Page,
  PlanRecord,
  TokenRecord,
} from "./records.ts";
import type { CallFaults, Faucet } from "./sandbox-ports.ts";
import type { InspectedToken, TokenInput } from "./tokens/inspect-token.ts";

/** What accounts make, up to a number. */
export type Counted = "agents" | "plans" | "delegations" | "tokens";

export interface Accounts {
  find(address: string): Promise<AccountRecord | null>;
  findTestCustomer(account: string): Promise<AccountRecord | null>;
  /** Inserts, or leaves the account that is there; the same for a second test customer. */
  ensure(account: AccountRecord): Promise<void>;
  rename(address: string, name: string | null, audit: AuditNote): Promise<void>;
  /** Lets the account redeem plans of `ONLY_GLOBAL_ROLE`; false, and not audited, where it could before. */
  makeOperator(address: string, audit: AuditNote): Promise<boolean>;
  /** Whether the account has fewer than `most` agents or plans, or made fewer delegations or tokens in the last 24 hours. */
  hasRoom(address: string, kind: Counted, most: number): Promise<boolean>;
}

export interface ApiKeys {
  /** `isActive`: neither revoked nor expired by now. */
  find(
    hash: string,
  ): Promise<
    (ApiKeyRecord & { isActive: boolean; isOperator: boolean; isStopped: boolean }) | null
  >;
  list(account: string): Promise<ApiKeyRecord[]>;
  /** The delegation a key's tokens and orders are made under, if it has one. */
  findRoot(keyId: string): Promise<DelegationRecord | null>;
  findOwn(account: string, keyId: string): Promise<ApiKeyRecord | null>;
  /**
   * Inserts the key, with the delegation it is to have. The key that it replaces expires at `until`, if it would live
   * longer. Throws `conflict`, and inserts nothing, when that one is no longer active or was replaced before. `check` throws
   * what the account's keys refuse; it is asked where no other key of the account is inserted until this one is.
   */
  insert(
    key: ApiKeyRecord,
    more: {
      root: DelegationRecord | null;
      replaces: { keyId: string; until: Date } | null;
      check: (keys: ApiKeys) => Promise<void>;
    },
    audit: AuditNote,
  ): Promise<void>;
  /** Notes that the key was used just now; an unknown hash changes nothing. */
  markUsed(hash: string): Promise<void>;
  /** Revoking twice is the same as once. */
  revoke(account: string, keyId: string, audit: AuditNote): Promise<void>;
  /** How many keys an account has that are active or newer than `since`. */
  count(account: string, since: Date): Promise<number>;
}

export interface Plans {
  find(planId: string): Promise<PlanRecord | null>;
  /** The plan this owner registered with this nonce. */
  findByNonce(owner: string, nonce: bigint): Promise<PlanRecord | null>;
  listByOwner(owner: string, query: PageQuery): Promise<Page<PlanRecord>>;
  listPublic(query: PageQuery, search: string | undefined): Promise<Page<PlanRecord>>;
  /** Only the agent's owner gets plans that are not listed. */
  listByAgent(agentId: string, query: PageQuery, isOwner: boolean): Promise<Page<PlanRecord>>;
  /** Those of these plans that are listed. */
  listListed(planIds: readonly string[]): Promise<PlanRecord[]>;
  insert(plan: PlanRecord, audit: AuditNote): Promise<void>;
  /** Writes the plan; `newVersion` also writes its price and credits as that version. */
  /** Writes a plan that was changed from `read`; false when another request changed it meanwhile. */
  update(read: PlanRecord, changed: PlanRecord, audit: AuditNote): Promise<boolean>;
  /** Deletes a plan that was never ordered or used, with its versions and links; false when it was. */
  delete(planId: string, audit: AuditNote): Promise<boolean>;
  /** Whether an agent that is not archived and has an endpoint accepts the plan. */
  hasAgent(planId: string): Promise<boolean>;
  balance(planId: string, account: string): Promise<BalanceRecord | null>;
  /** Without test customers, unless asked for. */
  listSubscribers(
    planId: string,
    query: PageQuery & { includeTest: boolean },
  ): Promise<Page<Subscriber>>;
}

/** Throws what an owner's agents refuse. Asked where no other change of theirs is written until this one is. */
export type AgentCheck = (agents: Pick<Agents, "findByEndpoint">) => Promise<void>;

export interface Agents {
  find(agentId: string): Promise<AgentRecord | null>;
  findByNonce(owner: string, nonce: bigint): Promise<AgentRecord | null>;
  /** An agent of the owner's that has one of the endpoints and is not archived. */
  findByEndpoint(owner: string, endpoints: readonly AgentEndpoint[]): Promise<AgentRecord | null>;
  listByOwner(owner: string, query: PageQuery): Promise<Page<AgentRecord>>;
  /** Without archived ones; with `origins`, those with an endpoint at one of them, archived or not. */
  listByPlan(
    planId: string,
    query: PageQuery,
    origins?: readonly string[],
  ): Promise<Page<AgentRecord>>;
  /** Inserts the agent with its plans, and a new plan when given: all or nothing. */
  insert(
    agent: AgentRecord,
    plan: PlanRecord | null,
    audit: AuditNote,
    check: AgentCheck,
  ): Promise<void>;
  /**
   * Writes an agent that was changed from `read`; false when another request changed it meanwhile. Everything but its domain
   * proof, doctor run and daily check, which have their own writers.
   */
  update(
    read: AgentRecord,
    changed: AgentRecord,
    audit: AuditNote,
    check?: AgentCheck,
  ): Promise<boolean>;
  /**
   * Those of these agents that everyone may see: not archived, with a listed plan. Each has at most 100 of its listed plans,
   * those that its last check saw first.
   */
  onSale(agentIds: readonly string[]): Promise<AgentRecord[]>;
  /** Writes what a look at the domain made of the proof that was `read`; false when another look wrote one since. */
  setDomainProof(
    agentId: string,
    proof: DomainProof | null,
    read: DomainProof | null,
  ): Promise<boolean>;
  /** Keeps what a run found, and looks at its owner's alerts. Of one `endpoint`: what the others offered stays. */
  setDoctorRun(agentId: string, run: DoctorRun, endpoint?: string): Promise<void>;
  /** When the daily check is due; null switches it off. */
  scheduleCheck(agentId: string, dueAt: Date | null, audit: AuditNote): Promise<void>;
  /** Gives daily checks that are due at `now` to one replica until the time that `untilOf` says; archived agents have none. */
  leaseChecks(
    limit: number,
    now: Date,
    untilOf: (agentId: string, dueAt: Date) => Date,
  ): Promise<AgentRecord[]>;
  /** The same as `setDoctorRun` for a leased check; false once it was switched off, or another replica has it. */
  finishCheck(
    agent: Pick<AgentRecord, "agentId" | "checkDueAt">,
    run: DoctorRun,
    dueAt: Date,
  ): Promise<boolean>;
  /** Agents with a proof last checked before `before`, the longest ago first. */
  dueDomainChecks(before: Date, limit: number): Promise<AgentRecord[]>;
  /** Deletes an agent without tokens and paid requests, with its links; false when it has some. */
  delete(agentId: string, audit: AuditNote): Promise<boolean>;
  /** Links a plan; false when `most` others are linked. */
  link(agentId: string, planId: string, most: number, audit: AuditNote): Promise<boolean>;
  unlink(agentId: string, planId: string, audit: AuditNote): Promise<void>;
}

export interface Delegations {
  find(delegationId: string): Promise<DelegationRecord | null>;
  list(account: string, query: DelegationQuery): Promise<Page<DelegationRecord>>;
  /** Writes it, and its first budgets, if any, in the same transaction. */
  insert(
    delegation: DelegationRecord,
    audit: AuditNote,
    budgets?: BudgetsDocument | null,
  ): Promise<void>;
  /** Revokes it and every live token under it; how many tokens that were. */
  revoke(delegationId: string, audit: AuditNote): Promise<number>;
  /** The same for all of an account's. */
  revokeAll(account: string, audit: AuditNote): Promise<{ tokens: number; delegations: number }>;
  /** Begins one whose grant was signed in time; false when it was too late, or revoked. */
  activate(delegationId: string, audit: AuditNote): Promise<boolean>;
}

export interface Tokens {
  find(jti: string): Promise<TokenRecord | null>;
  insert(token: TokenRecord, delegation: DelegationRecord | null, audit: AuditNote): Promise<void>;
  revoke(jti: string, audit: AuditNote): Promise<void>;
}

export interface Ledger {
  /** Everything a decision about a request needs, read from the primary in one round. */
  readFacts(question: FactsQuestion): Promise<PermissionFacts>;
  hold(row: HoldRow): Promise<HoldOutcome>;
  settle(row: SettleRow): Promise<SettleOutcome>;
  /** Gives a hold back; the credits given, 0 when it was resolved before, null when there is none. */
  release(builder: string, agentRequestId: string): Promise<bigint | null>;
  /** Renews a builder's holds for another lease, within the cap counted from their start; one answer for each id. */
  renew(
    builder: string,
    agentRequestIds: string[],
    lease: { leaseSecs: number; capSecs: number },
  ): Promise<RenewedHold[]>;
  /** Expires overdue holds and credits; how many rows that were. */
  sweep(): Promise<number>;
}

export type FactsQuestion = {
  keyHash: string;
  jti: string | null;
  planId: string | null;
  agentId: string | null;
  agentRequestId: string | null;
  /** Method, path and agent of the call, for its approval. */
  subject?: string;
  /** The attempt at the request that asks. */
  attemptId?: string | undefined;
  /** The plan's version whose terms a bearer token signs. */
  signedVersion?: number | undefined;
};

export interface Clock {
  /** The database's time plus the sandbox's offset: the one clock that decides about money. */
  now(): Promise<Date>;
  advance(seconds: number): Promise<Date>;
}

/** Sealing, signing and ids. Secrets go in and out sealed; private keys are never returned. */
export interface Crypto {
  digest(text: string): string;
  randomId(): string;
  /** As unguessable, and in order of time: its row goes to the end of an index that grows without end. */
  orderedId(): string;
  /** A fresh uint128 as a decimal string, for plan and agent ids. */
  randomUint(): string;
  /** Seals a secret for a purpose and for the row that holds it: moved elsewhere, it does not open. */
  seal(secret: string, place: { purpose: string; row: string }): string;
  /** A new key pair, sealed for the row of its address. */
  createKey(purpose: string): { address: string; sealedKey: string };
  /** Signs with the session key that the payload names. */
  signToken(payload: TokenPayload, sealedSessionKey: string): string;
  /** Who signed the payload, or null when the signature is not the one canonical form. */
  recoverTokenSigner(payload: TokenPayload, signature: string): string | null;
  /** Whether an ed25519 signature in base64 is by the public key. */
  verifyHolder(key: HolderKey, message: string, signature: string): boolean;
  /**
   * The secret of a link, made from the root key for one use: its digest alone has to be stored to write the link again, also
   * where another root key was the newest when it was first made.
   */
  linkSecret(use: string, storedHash?: string | null): string;
  /** A signing secret as Standard Webhooks writes it: `whsec_` and 32 bytes in base64. */
  createWebhookSecret(): string;
  /** The HMAC-SHA256 of a message in base64, by a sealed `whsec_` secret. */
  signWebhook(message: string, sealed: string, place: { purpose: string; row: string }): string;
  createApiKey(claims: {
    account: string;
    environment: Environment;
    expiresAt: Date;
    issuedAt: Date;
  }): Promise<{ apiKey: string; keyId: string; hash: string }>;
}

/** Signs offers and receipts that anyone can check (x402 extension `offer-receipt`). */
interface StatementSigner {
  /** Signs with the newest key. */
  sign(
    kind: StatementKind,
    payload: OfferPayload | ReceiptPayload,
    format: SignedStatement["format"],
  ): SignedStatement;
  /** The public keys that ever signed, also those that were rotated out. */
  keys(): Promise<SigningKey[]>;
  /** Keeps the keys of today, for when they are rotated out. */
  publish(): Promise<void>;
}

/** A request that the service sent for a test and that was answered 402, with the plans that the answer named. */
export type TestCall = {
  planIds: string[];
  /** Who had it sent, where someone did. */
  account?: string;
  method: string;
  url: string;
  durationMs: number;
};

/** What a check of a domain found: `absent` is certain, `unknown` is when the domain could not be asked. */
export type DomainFinding =
  | { kind: "proved"; method: DomainProof["method"] }
  | { kind: "absent" | "unknown"; reason: string };

/** Looks for an agent's id in the well-known file of an origin and in the DNS records of its host. Never throws. */
export type FindDomainProof = (site: {
  /** Who asks. */
  account: string;
  agentId: string;
  origin: string;
}) => Promise<DomainFinding>;

/** Tells the requests of tests from those of customers, where no payer does. */
export interface TestCalls {
  /**
   * Notes a test's request that the owner of one of the plans made, or that was sent to an endpoint they registered. Ignores any
   * other: every site can answer a 402 that names the plan of someone else.
   */
  note(call: TestCall): Promise<void>;
  /** Assigns the builder's reported requests to the tests noted, one to one. */
  match(builder: string): Promise<void>;
}

/** Settlements as anyone may check them. */
export interface Receipts {
  find(settlementId: string): Promise<Receipt | null>;
}

/** Where accounts' counterfactual addresses come from. */
interface AccountAddresses {
  addressOf(owner: string): string;
}

export type Log = {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
};

/** Everything outside the rules, made once by `lib/server/services.ts`. */
export type Ports = {
  environment: Environment;
  /** What links to pages begin with. */
  origin: string;
  schemeAliases: readonly string[];
  /** The ways to pay for plans. */
  rails: Rails;
  /** The network of each rail, by its scheme. */
  networks: Readonly<Record<string, string>>;
  /** Name of the contract or service that credits live in, for balances. */
  creditsContract: string;
  accounts: Accounts;
  signIns: SignIns;
  addresses: AccountAddresses;
  apiKeys: ApiKeys;
  plans: Plans;
  agents: Agents;
  delegations: Delegations;
  budgets: Budgets;
  approvals: Approvals;
  tokens: Tokens;
  orders: Orders;
  alerts: Alerts;
  mails: Mails;
  /** Left out where no mail server is set. */
  sendMail?: SendMail;
  events: Events;
  webhooks: Webhooks;
  /** Why this deployment would never call a URL, or null. Left out: any may be tried. */
  webhookUrlFault?: (url: string) => string | null;
  refunds: Refunds;
  audit: AuditTrail;
  disputes: Disputes;
  ledger: Ledger;
  activity: Activity;
  /** Refused attempts on their way to `activity`. */
  refusals: RefusalLog;
  testCalls: TestCalls;
  figures: Figures;
  holdings: Holdings;
  search: Search;
  business: Business;
  unsettled: Unsettled;
  receipts: Receipts;
  sharedRuns: SharedRuns;
  redactRun: RedactRun;
  /** Grants of people's own wallets; left out where nothing goes on chain. */
  ownerGrants?: OwnerGrants;
  findDomainProof: FindDomainProof;
  /** In the sandbox: test money, and what can be made to fail. */
  faucet?: Faucet;
  faults?: CallFaults;
  /** Transfers that wallets authorized, and the chain that takes them; left out where none is. */
  authorizations: Authorizations;
  exact?: ExactChain;
  renewals: Renewals;
  payouts: Payouts;
  /** Pays builders' card sales out; left out where cards are not taken. */
  payoutProcessor?: PayoutProcessor;
  platformFee: PlatformFee;
  /** What accounts have and may send. */
  money: MoneyBook;
  statements: Statements;
  invoices: Invoices;
  /** The stablecoin and payments of it out of accounts; left out where nothing goes on chain. */
  stablecoin?: Stablecoin;
  accountPayments?: AccountPayments;
  accountPaymentJournal: AccountPaymentJournal;
  /** How long a new address waits before it can be withdrawn to. */
  withdrawalWaitSecs: number;
  /** Why no orders are taken now, or null: ledger and chain differ. Left out where nothing goes on chain. */
  salesStop?: () => string | null;
  clock: Clock;
  crypto: Crypto;
  signer: StatementSigner;
  /** Where an account's agents are; some seconds old. */
  sitesOf(account: string): Promise<Pick<AgentRecord, "endpoints" | "domainProof">[]>;
  /** `inspectToken`, with what it found kept for tokens seen before. */
  inspectToken(token: TokenInput): InspectedToken;
  /** What was read about requests that are held and not settled yet. */
  factsCache: FactsCache;
  /** Tokens of the chain worth one unit of a currency, with six decimals: address to currency. */
  stableTokens: ReadonlyMap<string, string>;
  cards: CardProcessor | null;
  cardDelegations: CardDelegations;
  pause(ms: number): Promise<void>;
  log: Log;
};
