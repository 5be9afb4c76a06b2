import "server-only";
import type { Address } from "viem";
import type { Operator } from "@/lib/adapters/chain/operator.ts";
import type { CreditsDifference } from "@/lib/adapters/chain/reconcile/reconcile.ts";
import { createReconciler, type Reconciler } from "@/lib/adapters/chain/reconcile/reconciler.ts";
import { createEventWatch } from "@/lib/adapters/chain/watch/event-watch.ts";
import { readPurchase } from "@/lib/adapters/chain/watch/judge-event.ts";
import { createChainAsks } from "@/lib/adapters/db/chain/chain-asks.ts";
import { createChainFindings } from "@/lib/adapters/db/chain/chain-findings.ts";
import { createChainOrders } from "@/lib/adapters/db/chain/chain-orders.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createCreditsLedger } from "@/lib/adapters/db/credits-ledger.ts";
import type { PlanVersion } from "@/lib/domain/chain-ports.ts";
import type { ChainFinding, ChainFindings } from "@/lib/domain/finding-ports.ts";
import type { Log } from "@/lib/domain/ports.ts";
import type { RepairParts } from "@/lib/domain/reconciliation/repair.ts";
import { describeCause } from "../watch/error-text.ts";
import { createDeadline } from "./deadline.ts";

/** How ledger and chain compare: by every event of the contracts, and by every balance. */
export type ChainComparison = ReturnType<typeof createChainComparison>;

export function createChainComparison(options: {
  operator: Operator;
  database: Database;
  findVersion: (planId: string, version: number) => Promise<PlanVersion>;
  pausesItself: Address | undefined;
  /** Whether this replica is the one that sends for the settler now. */
  takeLease: () => Promise<boolean>;
  log: Log;
  now?: () => number;
}) {
  const { operator, database, log } = options;
  const { deployment } = operator;
  const sinceBlock = BigInt(deployment.block ?? 0);
  const findings = createChainFindings(database, deployment.plans);
  const asks = createChainAsks(database);
  const events = createEventWatch({
    ...options,
    asks,
    findings,
    sinceBlock,
    onFinding: (finding) => logFinding(log, finding),
    onDropped: ({ findingId, transaction, kind }) =>
      log.info({ findingId, transaction, kind }, "an event that was found is no longer on chain"),
  });
  const reconciler = createReconciler({
    operator,
    ledger: createCreditsLedger(database),
    sinceBlock,
    readEvents: events.scan,
    sumExplained: findings.sumExplained,
  });
  const stopping = new AbortController();
  const compared = createDeadline("not compared", options.now);
  const salesStop = () => findSalesStop(events.open(), reconciler);
  let stop: string | null = null;
  let hasScanned = false;
  const logDifferences = createDifferenceLog(log);
  const logStop = () => {
    const now = salesStop();
    if (now && now !== stop) log.error({ reason: now }, "sales stopped");
    if (stop && !now) log.info({}, "sales resumed");
    stop = now;
  };
  return {
    findings,
    reconciler,
    /** Why no orders are taken now; null while they are. */
    salesStop,
    /** That the balances have not been compared for long, or one can't be repaired; null while they are as they should. */
    findOverdue() {
      const cause = reconciler.findFailedRepair();
      const [text] = describeCause(cause).split("\n");
      return cause === null ? compared.findOverdue() : `a balance can't be repaired: ${text}`;
    },
    /** That events were read to a block that the node is far below; null while it is not. */
    findAhead: events.findAhead,
    /** Reads which findings are open: those from before a restart keep sales stopped. */
    readOpen: events.readOpen,
    /** Judges the latest events; logs each that the ledger did not ask for. */
    async watch() {
      await events.scan();
      hasScanned = true;
      logStop();
    },
    /** Whether all events until now were judged since the start: what a restored ledger forgot is known. */
    hasScanned: () => hasScanned,
    /** Compares all balances, and removes expired credits on chain; logs each difference once. */
    async reconcile() {
      const before = reconciler.last();
      try {
        const { waitingForCap } = await reconciler.run();
        if (waitingForCap > 0n) {
          log.warn({ credits: `${waitingForCap}` }, "take-backs wait for the contract's daily cap");
        }
      } finally {
        // Where a repair failed, all others were compared.
        if (reconciler.last() !== before) compared.markDone();
        logDifferences(reconciler.last()?.differences ?? []);
        logStop();
      }
      // After the result, because many transactions may take longer than a comparison.
      if (await options.takeLease()) await reconciler.expire(stopping.signal);
    },
    /** Ends the removing: what is left waits for the next start. */
    async stopReconcile() {
      stopping.abort();
    },
    /** What is open, and how orders that the ledger has forgotten are written again. */
    repairs: openRepairs({ operator, database, asks, findings }),
    /** For health and metrics. */
    facts: (): Record<string, string | number> => ({
      ...factsOf(reconciler, compared.secsAgo()),
      openFindings: events.open(),
      ...(stop && { salesStopped: stop }),
    }),
  };
}

function openRepairs({
  operator,
  database,
  asks,
  findings,
}: Parameters<typeof readPurchase>[0] & {
  database: Database;
  findings: ChainFindings;
}): RepairParts["chain"] {
  const purchaseOf = async (finding: ChainFinding) =>
    finding.kind === "forgotten_order" ? readPurchase({ operator, asks }, finding) : null;
  return {
    async listOpen() {
      const found = await findings.listOpen();
      return Promise.all(
        found.map(async (finding) => ({ finding, purchase: await purchaseOf(finding) })),
      );
    },
    writePaid: createChainOrders(database).writePaid,
    close: findings.close,
  };
}

function findSalesStop(open: number, reconciler: Reconciler): string | null {
  if (open > 0) return `${open} events on chain that the ledger did not ask for`;
  const difference = reconciler.last()?.difference ?? 0n;
  return difference > 0n ? `balances on chain and in the ledger differ by ${difference}` : null;
}

function logFinding(log: Log, { detail, kind, state, transaction, findingId }: ChainFinding): void {
  const fields = { findingId, transaction, kind, detail };
  if (state === "open") log.error(fields, "an event on chain that the ledger did not ask for");
  else log.info(fields, "an account acted on chain outside the service");
}

/** Logs each balance that differs when it begins to, and when it differs by another amount. */
function createDifferenceLog(log: Log): (differences: readonly CreditsDifference[]) => void {
  let known: ReadonlySet<string> = new Set();
  const keyOf = ({ account, planId, expected, actual }: CreditsDifference) =>
    `${account} ${planId} ${actual - expected}`;
  return (differences) => {
    for (const difference of differences) {
      if (known.has(keyOf(difference))) continue;
      const { account, planId, expected, actual } = difference;
      const kinds = kindsOf(difference);
      log.error(
        { account, planId: `${planId}`, expected: `${expected}`, actual: `${actual}`, kinds },
        "ledger and chain differ",
      );
    }
    known = new Set(differences.map(keyOf));
  };
}

/** Which movements differ, and by how much. */
export const kindsOf = ({ reasons }: Pick<CreditsDifference, "reasons">): string =>
  reasons.map(({ reason, amount }) => `${reason} ${amount}`).join(", ");

function factsOf(
  reconciler: Reconciler,
  reconciledSecsAgo: number | null,
): Record<string, string | number> {
  const last = reconciler.last();
  if (!last || reconciledSecsAgo === null) return {};
  return {
    reconciledSecsAgo,
    difference: last.difference.toString(),
    creditsInFlight: last.inFlight.toString(),
  };
}
