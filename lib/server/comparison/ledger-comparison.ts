import "server-only";
import { createFindPlanVersion } from "@/lib/adapters/db/chain/chain-orders.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createDifferences } from "@/lib/adapters/db/money/differences.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { createProcessorComparison } from "@/lib/domain/reconciliation/compare.ts";
import {
  type Difference,
  type Differences,
  stopsSales,
} from "@/lib/domain/reconciliation/difference-ports.ts";
import type { ProcessorRecords } from "@/lib/domain/reconciliation/processor-records.ts";
import { plural } from "@/lib/text/plural.ts";
import type { Work } from "../background.ts";
import { createDeadline } from "./deadline.ts";

/** Compares the ledger with the card processor and with its own rules, all the time. */
export type LedgerComparison = ReturnType<typeof createLedgerComparison>;

/** `scheme` is the one whose orders the processor pays. */
export type ComparedProcessor = { records: ProcessorRecords; scheme: string };

/** Rows of the last minute are checked again: their transactions may have committed later, and no statement takes a third of it. */
const OVERLAP_MS = 60_000;
const COMPARE_EVERY_MS = 10_000;
/** What differs for the first time may be under way. */
const COMPARISONS_TO_COUNT = 2;
const CHECK_EVERY_MS = 30_000;

/** Makes a {@link LedgerComparison}; nothing is known before its work has run. */
export function createLedgerComparison(database: Database, now?: () => number) {
  const differences = createDifferences(database);
  let open: Difference[] = [];
  // Renewals and payouts wait for the first.
  const compared = createDeadline("not compared", now);
  const checked = createDeadline("rules not checked", now);
  let comparisons = 0;
  const readOpen = async () => {
    open = await differences.listOpen();
  };
  // Anyone may read health: it names the kinds, and the log has the orders.
  const reasonOf = (list: Difference[]) => {
    const kinds = [...new Set(list.map(({ kind }) => kind))].join(", ");
    return list.length > 0 ? `${plural(list.length, "difference")}: ${kinds}` : null;
  };

  const compareOf = (ports: Ports, processor: ComparedProcessor | null) =>
    processor
      ? createProcessorComparison({ ports, differences, ...processor })
      : async (): Promise<Difference[]> => [];

  return {
    differences,
    findVersion: createFindPlanVersion(database.orm),
    /** Reads which differences are open: those from before a restart keep sales stopped. */
    readOpen,
    /** Whether this process has compared both sides as often as a difference takes to count. */
    hasCompared: () => comparisons >= COMPARISONS_TO_COUNT,
    /** Why no paid orders are taken now; null while they are. */
    salesStop: () => reasonOf(open.filter(stopsSales)),
    probe: {
      name: "ledger",
      ask: async () => {},
      facts: () => {
        const comparedSecsAgo = compared.secsAgo();
        return {
          openDifferences: open.length,
          ...(comparedSecsAgo !== null && { comparedSecsAgo }),
        };
      },
      findDegraded: () => reasonOf(open) ?? compared.findOverdue() ?? checked.findOverdue(),
    },
    /** Compares with the card processor as often as a difference takes to count, where there is one. */
    async compareNow(ports: Ports, processor: ComparedProcessor | null): Promise<void> {
      const compare = compareOf(ports, processor);
      for (let run = 0; run < COMPARISONS_TO_COUNT; run += 1) await compare();
    },
    /** What repeats; rules alone where there is no card processor. */
    workOf(ports: Ports, processor: ComparedProcessor | null): Work[] {
      const compare = compareOf(ports, processor);
      const checkRules = createRulesCheck(ports, differences);
      const note = async (found: Difference[]) => {
        for (const { differenceId, kind, detail } of found) {
          ports.log.error({ differenceId, kind, detail }, "the ledger differs");
        }
        await readOpen();
      };
      return [
        {
          name: "comparison",
          everyMs: COMPARE_EVERY_MS,
          async run() {
            // Also when the processor is away: what other replicas found counts here too.
            await readOpen();
            await note(await compare());
            compared.markDone();
            comparisons += 1;
          },
        },
        {
          name: "rules",
          everyMs: CHECK_EVERY_MS,
          async run() {
            const { found, isLast } = await checkRules();
            await note(found);
            if (isLast) checked.markDone();
            return isLast ? 0 : 1;
          },
        },
      ];
    },
  };
}

/**
 * Checks the rules since the last check. Broken ones stay until a person or a whole check closes them. What cannot be
 * checked in time at once is checked in parts: each failure halves how long a part is, until all is checked.
 */
function createRulesCheck({ clock }: Ports, differences: Differences) {
  let mostMs = Number.POSITIVE_INFINITY;
  return async () => {
    const now = await clock.now();
    const since = (await differences.readWatermarks()).rules.getTime();
    const isLast = now.getTime() - since <= mostMs;
    const rules = isLast ? now : new Date(since + mostMs);
    const from = new Date(since - OVERLAP_MS);
    const broken = await differences.checkRules(from, isLast ? null : rules).catch((cause) => {
      mostMs = Math.max((rules.getTime() - since) / 2, CHECK_EVERY_MS);
      throw cause;
    });
    if (isLast) mostMs = Number.POSITIVE_INFINITY;
    const judged = await differences.listLate();
    const found = await differences.save({ judged, found: broken, healed: [] }, { rules });
    return { found, isLast };
  };
}
