import type { Address } from "viem";
import type { LedgerBalance, LedgerMovements } from "@/lib/domain/chain-ports.ts";
import type { ChainFindings } from "@/lib/domain/finding-ports.ts";
import { creditsAbi } from "../abis.ts";
import type { OnChain } from "../deployment.ts";
import { balanceKey, type EventSums } from "./event-sums.ts";

export type DifferenceReason =
  `${"mint" | "burn" | "take_back" | "expiry"}_${"missing" | "unknown"}`;

/** A balance that differs between ledger and chain, beyond what is in flight. */
export type CreditsDifference = {
  account: Address;
  planId: bigint;
  /** What the chain should hold according to the ledger and to what is explained, and what it holds. */
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

type SumExplained = ChainFindings["sumExplained"];

type Differing = {
  row: LedgerBalance;
  movements: LedgerMovements;
  expected: bigint;
  actual: bigint;
};

/**
 * Compares ledger balances with `Credits` at one block, allowing for pending movements. Where the rest differs, the chain's
 * events show which kind of movement is missing on which side; they are read once for all that differ.
 *
 * @param block the ledger was read as of this block.
 * @param pages the ledger's balances, some at a time.
 * @param sumExplained what happened on chain beside the ledger, and is known: the chain should hold that too.
 * @example const { difference } = await reconcileCredits({ client, deployment, block, pages, readMovements, readEvents });
 */
export async function reconcileCredits(
  options: OnChain & {
    block: bigint;
    pages: AsyncIterable<LedgerBalance[]> | LedgerBalance[][];
    readMovements: (balance: LedgerBalance) => Promise<LedgerMovements>;
    readEvents: EventSums;
    sumExplained?: SumExplained;
  },
): Promise<Reconciliation> {
  const { block, readMovements } = options;
  const differing: Differing[] = [];
  let checked = 0;
  let inFlight = 0n;
  for await (const page of options.pages) {
    checked += page.length;
    inFlight += page.reduce((sum, row) => sum + row.pendingMints + row.pendingBurns, 0n);
    for (const found of await findDiffering(options, page)) {
      // Read with the balance, before more happens.
      differing.push({ ...found, movements: await readMovements(found.row) });
    }
  }
  const rows = differing.map(({ row }) => row);
  const onChain = rows.length > 0 ? await options.readEvents(rows, block) : new Map();
  const differences = differing.map(({ row, movements, expected, actual }): CreditsDifference => {
    const { account, planId } = row;
    const reasons = reasonsOf(row, movements, onChain.get(balanceKey(row)));
    return { account, planId, expected, actual, reasons };
  });
  const difference = differences.reduce((sum, { expected, actual }) => {
    return sum + absolute(expected - actual);
  }, 0n);
  return { block, checked, waitingForCap: 0n, inFlight, difference, differences };
}

async function findDiffering(
  {
    client,
    deployment,
    block,
    sumExplained = async (rows) => rows.map(() => 0n),
  }: OnChain & { block: bigint; sumExplained?: SumExplained },
  page: LedgerBalance[],
): Promise<Omit<Differing, "movements">[]> {
  const found: Omit<Differing, "movements">[] = [];
  for (let start = 0; start < page.length; start += BATCH) {
    const rows = page.slice(start, start + BATCH);
    const balances = await client.readContract({
      address: deployment.credits,
      abi: creditsAbi,
      functionName: "balanceOfBatch",
      args: [rows.map(({ account }) => account), rows.map(({ planId }) => planId)],
      blockNumber: block,
    });
    const sums = await sumExplained(rows, block);
    for (const [index, row] of rows.entries()) {
      const explained = sums[index] ?? 0n;
      const expected = row.balance - row.pendingMints + row.pendingBurns + explained;
      const actual = balances[index] ?? 0n;
      // Credits that a refund has not taken back on chain may hide behind explained ones.
      const isUnsure = explained !== 0n && row.refunds?.length;
      if (expected !== actual || isUnsure) found.push({ row, expected, actual });
    }
  }
  return found;
}

function reasonsOf(
  row: LedgerBalance,
  movements: LedgerMovements,
  onChain: LedgerMovements,
): CreditsDifference["reasons"] {
  const compare = (
    kind: "mint" | "burn" | "take_back" | "expiry",
    inLedger: bigint,
    there: bigint,
  ) => {
    if (inLedger === there) return [];
    const reason: DifferenceReason = inLedger > there ? `${kind}_missing` : `${kind}_unknown`;
    return [{ reason, amount: absolute(inLedger - there) }];
  };
  return [
    ...compare("mint", movements.minted - row.pendingMints, onChain.minted),
    ...compare("burn", movements.burned - row.pendingBurns, onChain.burned),
    ...compare("take_back", movements.takenBack, onChain.takenBack),
    ...compare("expiry", movements.expired, onChain.expired),
  ];
}

export function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
