import "server-only";
import { CHAIN_NETWORKS, type Environment } from "@turnpike/payments/protocol";
import { type Address, getAddress, type Hex, zeroAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { createAccountPayments, PAYMENT_GAS } from "@/lib/adapters/chain/account-payments.ts";
import { createTransactionSender } from "@/lib/adapters/chain/bundler/transaction-sender.ts";
import { type ChainClient, createChainClient } from "@/lib/adapters/chain/chain-client.ts";
import { createCryptoRail } from "@/lib/adapters/chain/crypto-rail.ts";
import { createCryptoTerms, stableTokensOf } from "@/lib/adapters/chain/crypto-terms.ts";
import { openStablecoin } from "@/lib/adapters/chain/deposits.ts";
import { createExactChain } from "@/lib/adapters/chain/exact/exact-chain.ts";
import { createExactPayer } from "@/lib/adapters/chain/exact/exact-payer.ts";
import { createExactRail } from "@/lib/adapters/chain/exact/exact-rail.ts";
import { createFaucet } from "@/lib/adapters/chain/faucet.ts";
import { createGrantBook } from "@/lib/adapters/chain/grants/grant-book.ts";
import { createOwnerGrants } from "@/lib/adapters/chain/grants/owner-grants.ts";
import type { OwnerKeys } from "@/lib/adapters/chain/grants/owner-keys.ts";
import { revokeOnChain } from "@/lib/adapters/chain/grants/revocations.ts";
import { type Operator, setOrdersPaused } from "@/lib/adapters/chain/operator.ts";
import type { OrderBudget } from "@/lib/adapters/chain/order-budget.ts";
import { createPlanRegistry } from "@/lib/adapters/chain/plan-registry.ts";
import type { CodeMemory } from "@/lib/adapters/chain/prepare-accounts.ts";
import { refundFromOwner } from "@/lib/adapters/chain/refund-part.ts";
import { isSignedByWallet, type SignedMessage } from "@/lib/adapters/chain/wallet-signature.ts";
import { createSealing } from "@/lib/adapters/crypto/sealing.ts";
import { createKeyPair, createRecover } from "@/lib/adapters/crypto/signatures.ts";
import { createAccounts } from "@/lib/adapters/db/accounts.ts";
import { createAuthorizations } from "@/lib/adapters/db/authorizations.ts";
import { createChainGrants } from "@/lib/adapters/db/chain/chain-grants.ts";
import { createChainOrders, createFindPlanVersion } from "@/lib/adapters/db/chain/chain-orders.ts";
import { createRevocationQueue } from "@/lib/adapters/db/chain/chain-revocations.ts";
import { listSettlers } from "@/lib/adapters/db/chain/settlers.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createClock, readRealTime } from "@/lib/adapters/db/clock.ts";
import { createAccountPaymentJournal } from "@/lib/adapters/db/money/account-payments.ts";
import { createDeposits } from "@/lib/adapters/db/money/deposits.ts";
import type { ExactChain } from "@/lib/domain/exact/exact-ports.ts";
import type { Log } from "@/lib/domain/ports.ts";
import type { RailTerms } from "@/lib/domain/rails/rail.ts";
import { createChainComparison } from "../comparison/chain-comparison.ts";
import { createChainMirror } from "./chain-mirror.ts";
import { createGasOfDay } from "./gas-of-day.ts";
import type { OpenChain } from "./open-chain.ts";
import { withGasWatch } from "./watch-gas.ts";

/** A cent of USDC. The floor of sales may be higher, but what is below it is its holder’s all the same. */
const LEAST_PAYMENT = 10_000n;

export type ChainServicesOptions = {
  environment: Environment;
  database: Database;
  chain: OpenChain;
  /** Newest first. */
  secretKeys: readonly Uint8Array[];
  log: Log;
  /** What orders may cost the service; without limits by default. */
  limits?: OrderLimits;
  /** In the sandbox: whether the failure lab has cut the chain off. */
  isCut?: () => boolean;
};

/** Sponsored gas, what of it is expected of all in 24 hours, and the lowest price in cents. */
export type OrderLimits = OrderBudget & { expectedGasPerDay?: number; floorCents: bigint };

const NO_LIMITS: OrderLimits = { gasPerAccount: 0, gasPerPlan: 0, floorCents: 0n };

/** The chain behind the service: the rail that takes orders, and the mirror of what is settled. */
export type ChainServices = ReturnType<typeof createChainServices>;

/** Wires the chain adapter to the ledger's tables. */
export function createChainServices(options: ChainServicesOptions) {
  const { environment, database, chain, log, limits = NO_LIMITS } = options;
  const { deployment } = chain;
  // What orders use; mirroring and comparing are background work.
  const money = database.for("money");
  const { orm } = money;
  const gasOfDay = createGasOfDay(money, limits.expectedGasPerDay ?? 0, log);
  const uncounted = openOperator(options);
  const operator = { ...uncounted, sender: gasOfDay.meter(uncounted.sender) };
  const administrator = openAdministrator(options, operator);
  const { client, sender } = operator;
  const known: CodeMemory = new Set();
  const findVersion = createFindPlanVersion(orm);
  const { grants, grantStore, ownerGrants } = createGrants(options);
  const { mirrored, ...mirror } = createChainMirror({ ...options, operator: uncounted, grants });
  const terms = createCryptoTerms({
    network: CHAIN_NETWORKS[environment],
    stableTokens: stableTokensOf(deployment),
    floorCents: limits.floorCents,
  });
  const accountPayments = createAccountPayments({
    operator,
    owners: grants,
    journal: createAccountPaymentJournal(orm),
    known,
    onTrouble: (cause, paymentId) =>
      log.warn({ paymentId, cause: String(cause) }, "payment outcome unknown"),
  });
  const paid = {
    least: limits.floorCents > 0n ? LEAST_PAYMENT : 0n,
    mostADay: Math.ceil(limits.gasPerAccount / PAYMENT_GAS),
  };
  const refunds = refundFromOwner({ payments: accountPayments, findVersion, limits: paid });
  const rail = createCryptoRail({
    client,
    deployment,
    sender,
    terms,
    grants,
    plans: createPlanRegistry({ operator, owners: grants, findVersion }),
    findVersion,
    orders: createChainOrders(money),
    listSettlers: () => listSettlers(money),
    budget: limits,
    known,
    mirror: mirrored,
    refunds,
  });
  const comparison = createChainComparison({
    operator,
    database,
    findVersion,
    // The failure lab pauses orders where this process has the administrator's key.
    pausesItself: chain.adminPrivateKey && administrator.sender.address,
    takeLease: mirror.bundler.takeLease,
    log,
  });
  const queue = createRevocationQueue(database);
  const parts = { operator, terms, refunds, isHealthy: rail.isHealthy, owners: grants, known };
  return {
    operator,
    grants,
    rail,
    ...createExact(options, parts),
    ownerGrants,
    /** Whether a wallet signed a text; smart wallets sign by their contract. */
    isSignedByWallet: (signed: SignedMessage) => isSignedByWallet(client, signed),
    ...mirror,
    /** The stablecoin and payments of it out of accounts whose key the service keeps. */
    stablecoin: openStablecoin({
      client,
      deployment,
      deposits: createDeposits(database),
      withdrawals: paid,
    }),
    accountPayments,
    ...withGasWatch(operator, comparison, gasOfDay),
    /** Sends the revocations that are due; how many. */
    revoke: revokeDue({ operator, grants, store: grantStore, queue, known }, log),
    /** Tops an account up with test dollars. Sandbox only. */
    fundAccount: (account: string) => fundAccount(operator, getAddress(account)),
    faucet: createFaucet(operator),
    /** Pauses or resumes orders on chain. Sandbox only: elsewhere the settler has no right to. */
    pauseOrders: (isPaused: boolean) => pauseOrders(administrator, isPaused),
  };
}

async function pauseOrders(administrator: Operator, isPaused: boolean): Promise<void> {
  const outcome = await setOrdersPaused(administrator, isPaused);
  if (outcome.status === "refused") {
    throw new Error(`Could not ${isPaused ? "pause" : "resume"} orders: ${outcome.detail}`);
  }
}

function openOperator({ chain, isCut }: ChainServicesOptions): Operator {
  const { rpcUrl, deployment, settlerPrivateKey } = chain;
  const client = createChainClient({ rpcUrl, chainId: deployment.chainId, isCut });
  return { client, deployment, sender: openSender(chain, client, settlerPrivateKey) };
}

/** Sends with the key that administers the contracts, where this process has it. */
function openAdministrator({ chain }: ChainServicesOptions, operator: Operator): Operator {
  const key = chain.adminPrivateKey;
  return key ? { ...operator, sender: openSender(chain, operator.client, key) } : operator;
}

const openSender = ({ journal }: OpenChain, client: ChainClient, key: Hex) =>
  createTransactionSender({
    client,
    settler: privateKeyToAccount(key),
    ...(journal && { journal }),
  });

function createExact(
  { database, limits = NO_LIMITS }: ChainServicesOptions,
  {
    operator,
    terms,
    owners,
    known,
    ...parts
  }: { operator: Operator; terms: RailTerms; owners: OwnerKeys; known: CodeMemory } & Pick<
    Parameters<typeof createExactRail>[0],
    "refunds" | "isHealthy"
  >,
) {
  const { deployment, sender } = operator;
  const money = database.for("money");
  const now = () => readRealTime(money);
  /** Payments of wallets by `exact`, and their orders. */
  const exact: ExactChain = {
    ...createExactChain(operator, {
      network: terms.network,
      captures: deployment.captures,
      asset: deployment.usdc ?? zeroAddress,
      floorCents: limits.floorCents,
      mostGas: limits.gasPerAccount,
      recover: createRecover().recover,
      now,
    }),
    ...createExactPayer(operator, { owners, known, now }),
  };
  const authorizations = createAuthorizations(money.orm);
  const signer = sender.address;
  const exactRail = createExactRail({ terms, chain: exact, authorizations, signer, ...parts });
  return { exact, exactRail };
}

/** The grants the service signs for accounts, and those that owners sign with their own wallets. */
function createGrants({ database, chain, secretKeys }: ChainServicesOptions) {
  const { deployment } = chain;
  const sealing = createSealing(secretKeys);
  const { orm } = database.for("money");
  const grantStore = createChainGrants(orm);
  const common = {
    deployment,
    store: grantStore,
    accounts: createAccounts(orm),
    stableTokens: stableTokensOf(deployment),
    now: createClock(database).now,
  };
  const grants = createGrantBook({
    ...common,
    createKey(purpose) {
      const { privateKey, address } = createKeyPair();
      return { address, sealedKey: sealing.seal(privateKey, { purpose, row: address }) };
    },
    open: sealing.open,
  });
  return { grants, grantStore, ownerGrants: createOwnerGrants(common) };
}

async function fundAccount(operator: Operator, account: Address): Promise<void> {
  if (operator.deployment.usdc)
    await createFaucet(operator).fund(account, { usdc: true, native: false });
}

const revokeDue =
  (options: Omit<Parameters<typeof revokeOnChain>[0], "onPutOff">, log: Log) =>
  (): Promise<number> =>
    revokeOnChain({
      ...options,
      onPutOff: (what) => log.warn(what, "revocation on chain put off"),
    });
