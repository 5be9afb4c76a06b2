import type { Address } from "viem";
import { creditsAbi } from "./abis.ts";
import type { ChainClient } from "./chain-client.ts";
import type { Deployment } from "./deployment.ts";

/** What the ledger says about one account's credits of one plan. All amounts are credits. */
export type LedgerCredits = {
  account: Address;
  planId: bigint;
  /** What the account has, holds included. */
  balance: bigint;
  /** All that was ever minted to it, burned, taken back and expired. */
  minted: bigint;
  burned: bigint;
  takenBack: bigint;
  expired: bigint;
  /** Parts of `minted` and `burned` that are still on their way to the chain. */
  pendingMints: bigint;
  pendingBurns: bigint;
};

export type DifferenceReason =
  | "mint_missing"
  | "mint_unknown"
  | "burn_missing"
  | "burn_unknown"
  | "take_back_missing"
  | "take_back_unknown"
  | "expiry_missing"
  | "expiry_unknown";

/** A balance that ledger and chain do not agree on, beyond what is on its way. */
export type CreditsDifference = {
  account: Address;
  planId: bigint;
  /** What the chain should hold by the ledger, and what it holds. */
  expected: bigint;
  actual: bigint;
  /** Each movement that differs; `amount` is always above zero. `missing` is missing on chain, `unknown` in the ledger. */
  reasons: { reason: DifferenceReason; amount: bigint }[];
};

export type Reconciliation = {
  /** Block the chain was read at. */
  block: bigint;
  checked: number;
  /** Credits on their way to the chain. */
  inFlight: bigint;
  /** Sum of all differences, whatever their sign. Zero when ledger and chain agree. */
  difference: bigint;
  differences: CreditsDifference[];
};

const BATCH = 250;

/**
 * Compares ledger balances with `Credits` at one block. Movements the ledger calls pending are allowed for; where the
 * rest differs, the chain's events say which kind of movement is missing on which side.
 *
 * @param sinceBlock block of the deployment, from which events are read.
 * @example const { difference } = await reconcileCredits({ client, deployment, ledger });
 */
export async function reconcileCredits(options: {
  client: ChainClient;
  deployment: Deployment;
  ledger: LedgerCredits[];
  sinceBlock?: bigint;
}): Promise<Reconciliation> {
  const { client, deployment, ledger, sinceBlock = 0n } = options;
  const block = await client.getBlockNumber();
  const differences: CreditsDifference[] = [];
  for (let start = 0; start < ledger.length; start += BATCH) {
    const rows = ledger.slice(start, start + BATCH);
    const balances = await client.readContract({
      address: deployment.credits,
      abi: creditsAbi,
      functionName: "balanceOfBatch",
      args: [rows.map(({ account }) => account), rows.map(({ planId }) => planId)],
      blockNumber: block,
    });
    for (const [index, row] of rows.entries()) {
      const expected = row.balance - row.pendingMints + row.pendingBurns;
      const actual = balances[index] ?? 0n;
      const movements = { client, deployment, row, sinceBlock, block };
      if (expected !== actual) {
        const { account, planId } = row;
        differences.push({
          account,
          planId,
          expected,
          actual,
          reasons: await findReasons(movements),
        });
      }
    }
  }
  return {
    block,
    checked: ledger.length,
    inFlight: ledger.reduce((sum, row) => sum + row.pendingMints + row.pendingBurns, 0n),
    difference: differences.reduce(
      (sum, { expected, actual }) => sum + absolute(expected - actual),
      0n,
    ),
    differences,
  };
}

async function findReasons(options: {
  client: ChainClient;
  deployment: Deployment;
  row: LedgerCredits;
  sinceBlock: bigint;
  block: bigint;
}): Promise<CreditsDifference["reasons"]> {
  const { client, deployment, row, sinceBlock, block } = options;
  const logs = await client.getContractEvents({
    address: deployment.credits,
    abi: creditsAbi,
    args: { account: row.account, planId: row.planId },
    fromBlock: sinceBlock,
    toBlock: block,
    strict: true,
  });
  const sumOf = (eventName: string) =>
    logs
      .filter((log) => log.eventName === eventName)
      .filter((log) => log.args.account === row.account && log.args.planId === row.planId)
      .reduce((sum, log) => sum + log.args.amount, 0n);
  const compare = (
    kind: "mint" | "burn" | "take_back" | "expiry",
    inLedger: bigint,
    onChain: bigint,
  ) => {
    if (inLedger === onChain) return [];
    const reason: DifferenceReason = inLedger > onChain ? `${kind}_missing` : `${kind}_unknown`;
    return [{ reason, amount: absolute(inLedger - onChain) }];
  };
  return [
    ...compare("mint", row.minted - row.pendingMints, sumOf("CreditsMinted")),
    ...compare("burn", row.burned - row.pendingBurns, sumOf("CreditsBurned")),
    ...compare("take_back", row.takenBack, sumOf("CreditsRevoked")),
    ...compare("expiry", row.expired, sumOf("CreditsExpired")),
  ];
}

function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
