import type { Address } from "viem";
import type { LedgerBalance, LedgerMovements } from "@/lib/domain/chain-ports.ts";
import { creditsAbi } from "../abis.ts";
import { readBlocks } from "../block-ranges.ts";
import type { ChainClient } from "../chain-client.ts";
import type { Deployment } from "../deployment.ts";

export type DifferenceReason =
  | "mint_missing"
  | "mint_unknown"
  | "burn_missing"
  | "burn_unknown"
  | "take_back_missing"
  | "take_back_unknown"
  | "expiry_missing"
  | "expiry_unknown";

/** A balance that differs between ledger and chain, beyond what is in flight. */
export type CreditsDifference = {
  account: Address;
  planId: bigint;
  /** What the chain should hold according to the ledger, and what it holds. */
  expected: bigint;
  actual: bigint;
  /** Each movement that differs; `amount` is always above zero. `missing` is missing on chain, `unknown` in the ledger. */
  reasons: { reason: DifferenceReason; amount: bigint }[];
};

export type Reconciliation = {
  /** Block the chain was read at. */
  block: bigint;
  checked: number;
  /** Credits in flight to the chain. */
  inFlight: bigint;
  /** Those of them that wait until the contract's daily cap lets the service take them back. */
  waitingForCap: bigint;
  /** Sum of the absolute differences. Zero when ledger and chain agree. */
  difference: bigint;
  differences: CreditsDifference[];
};

const BATCH = 250;

/**
 * Compares ledger balances with `Credits` at one block, allowing for pending movements. Where the
 * rest differs, the chain's events show which kind of movement is missing on which side.
 *
 * @param block the ledger was read as of this block.
 * @param sinceBlock block of the deployment, from which events are read.
 * @example const { difference } = await reconcileCredits({ client, deployment, ledger });
 */
export async function reconcileCredits(options: {
  client: ChainClient;
  deployment: Deployment;
  block: bigint;
  ledger: LedgerBalance[];
  readMovements: (balance: LedgerBalance) => Promise<LedgerMovements>;
  sinceBlock?: bigint;
}): Promise<Reconciliation> {
  const { client, deployment, block, ledger, readMovements, sinceBlock = 0n } = options;
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
      if (expected !== actual) {
        const { account, planId } = row;
        differences.push({
          account,
          planId,
          expected,
          actual,
          reasons: await findReasons({
            client,
            deployment,
            row,
            movements: await readMovements(row),
            sinceBlock,
            block,
          }),
        });
      }
    }
  }
  return {
    block,
    checked: ledger.length,
    waitingForCap: 0n,
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
  row: LedgerBalance;
  movements: LedgerMovements;
  sinceBlock: bigint;
  block: bigint;
}): Promise<CreditsDifference["reasons"]> {
  const { client, deployment, row, movements, sinceBlock, block } = options;
  const logs = await readBlocks({ fromBlock: sinceBlock, toBlock: block }, (range) =>
    client.getContractEvents({
      address: deployment.credits,
      abi: creditsAbi,
      args: { account: row.account, planId: row.planId },
      ...range,
      strict: true,
    }),
  );
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
    ...compare("mint", movements.minted - row.pendingMints, sumOf("CreditsMinted")),
    ...compare("burn", movements.burned - row.pendingBurns, sumOf("CreditsBurned")),
    ...compare("take_back", movements.takenBack, sumOf("CreditsRevoked")),
    ...compare("expiry", movements.expired, sumOf("CreditsExpired")),
  ];
}

export function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
