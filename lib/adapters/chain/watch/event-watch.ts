import type { Address } from "viem";
import type { ChainFinding, ChainFindings } from "@/lib/domain/finding-ports.ts";
import { least } from "@/lib/domain/orders/money.ts";
import { BLOCKS, type BlockRange, readAtOneNode, readBlocks } from "../block-ranges.ts";
import { DEFAULTS } from "../bundler/bundler-options.ts";
import type { Deployment } from "../deployment.ts";
import type { Operator } from "../operator.ts";
import { readHead } from "../sound-node.ts";
import { idOf, type JudgeOptions, judgeEvent, type MinedLog } from "./judge-event.ts";

/** Blocks that are read again each time, because the chain may have replaced them. A node may be as many behind another. */
const OVERLAP = 32n;

type EventWatchOptions = JudgeOptions & {
  findings: ChainFindings;
  sinceBlock: bigint;
  /** Called once for each new finding. */
  onFinding: (finding: ChainFinding) => void;
  /** Called for each whose event the chain has permanently dropped. */
  onDropped: (finding: ChainFinding) => void;
};

/**
 * Reads every event of the contracts and keeps those that the ledger did not ask for. Scans of several replicas find the same,
 * and write it once.
 */
export function createEventWatch(options: EventWatchOptions) {
  const { operator, findings, sinceBlock, onFinding } = options;
  const { client, deployment } = operator;
  // Contracts of an earlier release have other events and roles; their balances are still compared.
  const isWatched = deployment.admin !== undefined;
  let open = 0;
  let ahead: string | null = null;
  /** The block that this process reads next. The cursor moves up only, also to a block that the chain does not have. */
  let next: bigint | null = null;

  /** The first block to read: all are read again where it is unknown which were. */
  function firstOf(cursor: bigint | null, head: bigint): bigint {
    if (cursor === null) return sinceBlock;
    const isAhead = cursor > head + OVERLAP;
    ahead = isAhead ? `events were read to block ${cursor}, and the node is at ${head}` : null;
    const after = isAhead ? next : least(next ?? cursor + 1n, cursor + 1n);
    // No node is behind by so many.
    if (after === null || after > head + BLOCKS) return sinceBlock;
    return least(after, head + 1n) - OVERLAP;
  }

  async function scanRange(fromBlock: bigint, toBlock: bigint) {
    const address = contractsOf(deployment);
    const logs = (await readBlocks({ fromBlock, toBlock }, (range) =>
      readAtOneNode(client, toBlock, () => client.getLogs({ address, ...range })),
    )) as MinedLog[];
    const found: ChainFinding[] = [];
    let waitsAt: bigint | null = null;
    const known = new Set<string>();
    for (const log of logs) {
      const content = [log.transactionHash, log.address, ...log.topics, log.data].join();
      const judgement = await judgeEvent(options, log, known.has(content));
      known.add(content);
      if (judgement === "under-way") waitsAt ??= log.blockNumber;
      else if (judgement !== "asked") found.push(judgement);
    }
    return { found, waitsAt, seen: new Set(logs.map(idOf)) };
  }

  const readOpen = async () => {
    open = await findings.countOpen();
  };

  return {
    /** How many findings wait for an explanation, as last counted. */
    open: () => open,
    /** Counts them; a scan does, too. */
    readOpen,
    /** That events were read up to a block far above the node's latest, as last seen; null while they were not. */
    findAhead: () => ahead,
    /** Judges the events since the last scan; returns the block it read up to. */
    async scan(): Promise<bigint> {
      const head = await readHead(operator);
      if (!isWatched) return head;
      const first = firstOf(await findings.readCursor(), head);
      let held: bigint | null = null;
      for (let from = first > 0n ? first : 0n; from <= head; from += BLOCKS) {
        const to = least(from + BLOCKS - 1n, head);
        const { found, waitsAt, seen } = await scanRange(from, to);
        await dropGone(options, { fromBlock: from, toBlock: to, head, seen });
        // Events of orders that are under way are judged again once those have ended.
        held ??= waitsAt;
        for (const finding of await findings.save(found, held === null ? to : held - 1n)) {
          onFinding(finding);
        }
      }
      next = held ?? head + 1n;
      await readOpen();
      return head;
    },
  };
}

const contractsOf = ({ plans, credits }: Deployment): Address[] => [plans, credits];

/** Drops findings of a range whose events it no longer has, once their block is final: until then a transaction may come back. */
async function dropGone(
  { operator, findings, onDropped }: EventWatchOptions,
  { head, seen, ...range }: BlockRange & { head: bigint; seen: Set<string> },
): Promise<void> {
  const missing = (await findings.listIn(range)).filter(
    ({ findingId, block }) => !seen.has(findingId) && block + DEFAULTS.safeDepth <= head,
  );
  for (const finding of missing) {
    if (await isInFinalBlock(operator, finding)) continue;
    await findings.drop([finding.findingId]);
    onDropped(finding);
  }
}

/** Asks for the block itself: a node that is behind it answers a range without its events. Throws when the node lacks it. */
async function isInFinalBlock(
  { client, deployment }: Operator,
  { findingId, block }: ChainFinding,
): Promise<boolean> {
  // The node has the blocks that make this one final.
  const { hash } = await readAtOneNode(client, block + DEFAULTS.safeDepth, () =>
    client.getBlock({ blockNumber: block }),
  );
  const address = contractsOf(deployment);
  const logs = (await client.getLogs({ address, blockHash: hash })) as MinedLog[];
  return logs.some((log) => idOf(log) === findingId);
}
