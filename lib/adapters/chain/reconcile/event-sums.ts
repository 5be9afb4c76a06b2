import { LRUCache } from "lru-cache";
import type { LedgerBalance, LedgerMovements } from "@/lib/domain/chain-ports.ts";
import { creditsAbi } from "../abis.ts";
import { type BlockRange, readBlocks } from "../block-ranges.ts";
import type { OnChain } from "../deployment.ts";

type Balance = Pick<LedgerBalance, "account" | "planId">;

/** Reads what the events of `Credits` up to a block did to balances; by {@link balanceKey}. */
export type EventSums = (
  balances: Balance[],
  block: bigint,
) => Promise<Map<string, LedgerMovements>>;

/** Blocks that are read again each time, because the chain may have replaced them. */
const OVERLAP = 64n;
/** Accounts that one request asks for. */
const ACCOUNTS = 250;
const KEPT = 20_000;
const NOTHING: LedgerMovements = { minted: 0n, burned: 0n, takenBack: 0n, expired: 0n };
const KINDS = {
  CreditsMinted: "minted",
  CreditsBurned: "burned",
  CreditsRevoked: "takenBack",
  CreditsExpired: "expired",
} as const satisfies Record<string, keyof LedgerMovements>;
const EVENTS = Object.keys(KINDS) as (keyof typeof KINDS)[];

export const balanceKey = ({ account, planId }: Balance) => `${account.toLowerCase()}:${planId}`;

/**
 * Makes {@link EventSums}. All balances are read in one pass over the chain, and a balance that was read before only from there on:
 * one that differs for days would otherwise be read since the deployment each minute.
 */
export function createEventSums({
  client,
  deployment,
  sinceBlock = 0n,
}: OnChain & {
  sinceBlock?: bigint;
}): EventSums {
  type Known = { sums: LedgerMovements; through: bigint };
  const before: Known = { sums: NOTHING, through: sinceBlock - 1n };
  const kept = new LRUCache<string, Known>({ max: KEPT });

  const readEvents = (accounts: Balance["account"][], range: BlockRange) =>
    readBlocks(range, async (blocks) => {
      const common = { address: deployment.credits, abi: creditsAbi, strict: true } as const;
      const args = { account: accounts };
      const logs = await Promise.all(
        EVENTS.map((eventName) =>
          client.getContractEvents({ ...common, ...blocks, eventName, args }),
        ),
      );
      return logs.flat();
    });

  return async (balances, block) => {
    const settled = block > OVERLAP ? block - OVERLAP : 0n;
    const result = new Map<string, LedgerMovements>();
    const known = new Map(
      balances.map((balance) => {
        const found = kept.get(balanceKey(balance));
        return [balanceKey(balance), found && found.through < block ? found : before];
      }),
    );
    const startOf = (balance: Balance) => (known.get(balanceKey(balance)) ?? before).through + 1n;
    for (const [fromBlock, group] of groupBy(balances, startOf)) {
      for (let at = 0; at < group.length; at += ACCOUNTS) {
        const part = group.slice(at, at + ACCOUNTS);
        const accounts = [...new Set(part.map(({ account }) => account))];
        const logs = await readEvents(accounts, { fromBlock, toBlock: block });
        const logsOf = groupBy(logs, ({ args }) => balanceKey(args));
        for (const balance of part) {
          const key = balanceKey(balance);
          const own = logsOf.get(key) ?? [];
          const { sums: earlier } = known.get(key) ?? before;
          const sums = add(
            earlier,
            own.filter(({ blockNumber }) => blockNumber <= settled),
          );
          if (settled >= fromBlock) kept.set(key, { sums, through: settled });
          result.set(key, add(earlier, own));
        }
      }
    }
    return result;
  };
}

function groupBy<Item, Key>(items: Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

function add(
  sums: LedgerMovements,
  logs: { eventName: keyof typeof KINDS; args: { amount: bigint } }[],
): LedgerMovements {
  const total = { ...sums };
  for (const { eventName, args } of logs) total[KINDS[eventName]] += args.amount;
  return total;
}
