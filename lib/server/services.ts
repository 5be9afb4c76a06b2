import "server-only";
import { ZERO_ADDRESS } from "@turnpike/payments/protocol";
import { LRUCache } from "lru-cache";
import { stableTokensOf } from "@/lib/adapters/chain/crypto-terms.ts";
import { createCrypto } from "@/lib/adapters/crypto/crypto.ts";
import { createStatementKeys } from "@/lib/adapters/crypto/statement-keys.ts";
import { createAccounts } from "@/lib/adapters/db/accounts.ts";
import { createAgents } from "@/lib/adapters/db/agents.ts";
import { createAlerts } from "@/lib/adapters/db/alerts/alerts.ts";
import { createMails } from "@/lib/adapters/db/alerts/mails.ts";
import { createApiKeys } from "@/lib/adapters/db/api-keys.ts";
import { createAuditTrail } from "@/lib/adapters/db/audit.ts";
import { createAuthorizations } from "@/lib/adapters/db/authorizations.ts";
import { createCardDelegations } from "@/lib/adapters/db/card-delegations.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createClock } from "@/lib/adapters/db/clock.ts";
import type { Workload } from "@/lib/adapters/db/connections/pools.ts";
import { createDelegations } from "@/lib/adapters/db/delegations.ts";
import { createEvents } from "@/lib/adapters/db/events/events.ts";
import { createWebhooks } from "@/lib/adapters/db/events/webhooks.ts";
import { createActivity } from "@/lib/adapters/db/figures/activity.ts";
import { createBusiness } from "@/lib/adapters/db/figures/business.ts";
import { createFigures } from "@/lib/adapters/db/figures/figures.ts";
import { createHoldings } from "@/lib/adapters/db/figures/holdings.ts";
import { createSearch } from "@/lib/adapters/db/figures/search.ts";
import { createLedger, type LedgerOptions } from "@/lib/adapters/db/ledger/ledger.ts";
import { createAccountPaymentJournal } from "@/lib/adapters/db/money/account-payments.ts";
import { createApprovals, createBudgets } from "@/lib/adapters/db/money/budgets.ts";
import { createDisputes } from "@/lib/adapters/db/money/disputes.ts";
import { createMoneyBook } from "@/lib/adapters/db/money/money-book.ts";
import { createPayouts } from "@/lib/adapters/db/money/payouts.ts";
import { createRefunds } from "@/lib/adapters/db/money/refunds.ts";
import { createRenewals } from "@/lib/adapters/db/money/renewals.ts";
import { createInvoices, createStatements } from "@/lib/adapters/db/money/statements.ts";
import { createOrders } from "@/lib/adapters/db/orders.ts";
import { createPlans } from "@/lib/adapters/db/plans.ts";
import { createReceipts } from "@/lib/adapters/db/receipts.ts";
import { createSharedRuns } from "@/lib/adapters/db/shared-runs.ts";
import { createSignIns } from "@/lib/adapters/db/sign-ins.ts";
import { createSigningKeys } from "@/lib/adapters/db/signing-keys.ts";
import { createTestCalls } from "@/lib/adapters/db/test-calls.ts";
import { createTokens } from "@/lib/adapters/db/tokens.ts";
import { createUnsettled } from "@/lib/adapters/db/unsettled.ts";
import { createRefusalLog } from "@/lib/domain/figures/refusals.ts";
import type { Stablecoin } from "@/lib/domain/money/balance-ports.ts";
import type { PlatformFee } from "@/lib/domain/money/payout-ports.ts";
import type { CachedFacts } from "@/lib/domain/permissions/permission-facts.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import type { Rail } from "@/lib/domain/rails/rail.ts";
import { createRails } from "@/lib/domain/rails/rails.ts";
import { inspectToken } from "@/lib/domain/tokens/inspect-token.ts";
import { redactShared } from "@/lib/playground/redact-for-share.ts";
import { atMost } from "./pipeline/at-most.ts";
import { listInTurns } from "./pipeline/cards-in-turns.ts";
import { createCheckedTokens } from "./pipeline/checked-tokens.ts";

/** Bytes of the facts of held requests, which are kept until they are settled. */
const CACHED_FACTS = { maxSize: 40 * 1024 * 1024 };
const FACTS_BYTES = 4_096;
const KNOWN_SITES = 10_000;
const SITES_MS = 5_000;
const DAY_SECS = 86_400;
const NO_FEE: PlatformFee = { defaultBps: 0, byController: new Map() };

export type SecretKeys = readonly [Uint8Array, ...Uint8Array[]];

/** Ports that a service has only where its settings name what is behind them. */
const GIVEN = [
  "sendMail",
  "webhookUrlFault",
  "ownerGrants",
  "salesStop",
  "faucet",
  "faults",
  "exact",
  "payoutProcessor",
  "accountPayments",
] as const satisfies (keyof Ports)[];

export type ServiceParts = Pick<Ports, "environment" | "cards" | "log" | (typeof GIVEN)[number]> & {
  /** Where the pages are served; by default the sandbox's address. */
  origin?: string;
  database: Database;
  /** Newest first. */
  secretKeys: SecretKeys;
  /** The addresses of the contracts; tokens are valid for this deployment only. */
  deployment: { chainId: number; plans: string; credits: string; usdc?: string | undefined };
  addressOf: (owner: string) => string;
  rails: readonly Rail[];
  /** Nothing by default. */
  platformFee?: PlatformFee;
  stablecoin?: Stablecoin | undefined;
  /** A day by default. */
  withdrawalWaitSecs?: number;
  /** Left out: no domain can be asked. */
  findDomainProof?: Ports["findDomainProof"];
  schemeAliases?: readonly string[];
  ledger?: LedgerOptions;
};

const askNoDomain: Ports["findDomainProof"] = async () => ({
  kind: "unknown",
  reason: "This service asks no domains.",
});

/** The ports of each kind of work: the same service, on separate connections. */
export type WorkloadPorts = Record<Workload, Ports>;

/** The only wiring: every port with the adapter behind it. */
export function createServices(parts: ServiceParts): WorkloadPorts {
  const { environment, deployment, database } = parts;
  const crypto = createCrypto({
    rootKeys: parts.secretKeys,
    tokenDomain: { chainId: deployment.chainId, verifyingContract: deployment.plans },
  });
  const schemeAliases = parts.schemeAliases ?? ["nvm"];
  const origin = parts.origin ?? "http://localhost:3000";
  const rails = createRails(parts.rails, schemeAliases);
  const inspection = { environment, recoverSigner: crypto.recoverTokenSigner };
  const background = createStores(parts, crypto, "background");
  const shared = {
    environment,
    origin,
    schemeAliases,
    rails,
    networks: Object.fromEntries(rails.all.map(({ scheme, network }) => [scheme, network])),
    creditsContract: deployment.credits,
    stableTokens: stableTokensOf(deployment),
    addresses: { addressOf: parts.addressOf },
    refusals: createRefusalLog(background.activity.recordRefusals),
    redactRun: redactShared,
    findDomainProof: parts.findDomainProof ?? askNoDomain,
    ...givenOf(parts),
    ...(parts.stablecoin && { stablecoin: parts.stablecoin }),
    platformFee: parts.platformFee ?? NO_FEE,
    withdrawalWaitSecs: parts.withdrawalWaitSecs ?? DAY_SECS,
    crypto,
    ...createSigning(parts, origin),
    inspectToken: createCheckedTokens((token) => inspectToken(token, inspection)),
    factsCache: new LRUCache<string, CachedFacts>({ ...CACHED_FACTS, sizeCalculation: bytesOf }),
    cards: parts.cards && listInTurns(parts.cards),
    pause: (ms: number) => new Promise<void>((wake) => setTimeout(wake, ms)),
    log: parts.log,
  };
  const money = { ...shared, ...createStores(parts, crypto, "money") };
  // One connection, one ledger: the embedded database has no second of either.
  if (database.kind === "pglite") return { money, reads: money, background: money };
  return {
    money,
    reads: { ...shared, ...createStores(parts, crypto, "reads") },
    background: { ...shared, ...background },
  };
}

/** Whether paid plans of this kind are of a rail that the deployment leaves out. */
const isLeftOut = (rails: readonly Rail[], isCrypto: boolean): boolean =>
  rails.find(({ takes }) => takes({ isCrypto, amounts: [1n], tokenAddress: ZERO_ADDRESS }))
    ?.isLeftOut === true;

/** An agent's owner chooses how much its endpoints say. */
const bytesOf = ({ facts: { agent } }: CachedFacts): number =>
  FACTS_BYTES + 2 * (agent?.endpoints.reduce((sum, { url }) => sum + url.length, 0) ?? 0);

/** What is read and written, on the connections of one kind of work. */
function createStores(
  { deployment, platformFee = NO_FEE, ...parts }: ServiceParts,
  crypto: Ports["crypto"],
  workload: Workload,
) {
  const database = parts.database.for(workload);
  const { orm } = database;
  const { chainId, credits } = deployment;
  return {
    accounts: createAccounts(orm),
    signIns: createSignIns(orm),
    apiKeys: createApiKeys(orm),
    plans: createPlans(
      orm,
      [true, false].filter((isCrypto) => isLeftOut(parts.rails, isCrypto)),
    ),
    agents: createAgents(orm),
    delegations: createDelegations(orm),
    budgets: createBudgets(database),
    approvals: createApprovals(orm),
    tokens: createTokens(orm),
    alerts: createAlerts(database),
    mails: createMails(database),
    events: createEvents(database),
    webhooks: createWebhooks(database),
    audit: createAuditTrail(orm),
    ledger: createLedger(database, parts.ledger),
    activity: createActivity(database),
    testCalls: createTestCalls(database),
    figures: createFigures(database),
    holdings: createHoldings(database),
    search: createSearch(database),
    business: createBusiness(database),
    unsettled: createUnsettled(database),
    receipts: createReceipts(database, { chainId, credits }),
    sharedRuns: createSharedRuns(orm),
    authorizations: createAuthorizations(orm, () => crypto.createKey("session-key")),
    clock: createClock(database),
    cardDelegations: createCardDelegations(orm),
    orders: createOrders(orm, platformFee),
    refunds: createRefunds(orm),
    disputes: createDisputes(database),
    renewals: createRenewals(orm),
    payouts: createPayouts(database),
    money: createMoneyBook(database),
    statements: createStatements(database),
    invoices: createInvoices(database),
    accountPaymentJournal: createAccountPaymentJournal(orm),
  };
}

const givenOf = (parts: ServiceParts): Pick<Ports, (typeof GIVEN)[number]> =>
  Object.fromEntries(GIVEN.filter((name) => parts[name]).map((name) => [name, parts[name]]));

function createSigning(
  { secretKeys, database }: ServiceParts,
  origin: string,
): Pick<Ports, "signer" | "sitesOf"> {
  const { keys, sign } = createStatementKeys(secretKeys, origin);
  const store = createSigningKeys(database.for("money").orm);
  const sites = new LRUCache<string, Awaited<ReturnType<typeof store.sitesOf>>>({
    ...atMost(KNOWN_SITES),
    ttl: SITES_MS,
    fetchMethod: store.sitesOf,
  });
  return {
    signer: {
      sign,
      publish: () => store.publish(keys),
      async keys() {
        const known = new Set(keys.map(({ kid }) => kid));
        return [...keys, ...(await store.list()).filter(({ kid }) => !known.has(kid))];
      },
    },
    sitesOf: async (account) => (await sites.fetch(account)) ?? [],
  };
}
