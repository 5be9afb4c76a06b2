import type { Database } from "@/lib/adapters/db/client.ts";
import { QUEUED_A_ROUND } from "@/lib/adapters/db/events/events.ts";
import { deleteOld, type KeptDays } from "@/lib/adapters/db/figures/retention.ts";
import { refreshStatistics } from "@/lib/adapters/db/statistics.ts";
import { noteCards, noteServices } from "@/lib/domain/alerts/note-outside.ts";
import { runAlerts } from "@/lib/domain/alerts/run-alerts.ts";
import { sendMails } from "@/lib/domain/alerts/send-mails.ts";
import { createDeliveries } from "@/lib/domain/events/deliver.ts";
import { resolveAuthorizations } from "@/lib/domain/exact/resolve-authorizations.ts";
import { resolvePayouts } from "@/lib/domain/money/resolve-payouts.ts";
import { resolveRenewals } from "@/lib/domain/money/resolve-renewals.ts";
import { resolveRefunds } from "@/lib/domain/money/send-refunds.ts";
import { sumStatements } from "@/lib/domain/money/statements.ts";
import { resolveWithdrawals } from "@/lib/domain/money/withdrawals.ts";
import { resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import { recheckDomains } from "@/lib/domain/plans/domain-proof.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { createDailyChecks } from "@/lib/probe/daily-checks.ts";
import type { Work } from "./background.ts";
import type { ChainServices } from "./chain/chain-services.ts";
import { testOutbound } from "./outbound/note-test-calls.ts";
import type { Counts } from "./watch/gauges.ts";

/** Everything that repeats while the service runs. */
export const backgroundWork = (parts: {
  ports: Ports;
  database: Database;
  keptDays: KeptDays;
  onChain: ChainServices | undefined;
  /** Calls to webhooks and agents. */
  outbound: Outbound;
  /** Whether the ledger is known to have forgotten no payment. */
  hasCompared: () => boolean;
  /** Kept up to date. */
  counts: Counts;
}): Work[] => [...ledgerWork(parts), ...(parts.onChain ? chainWork(parts.onChain) : [])];

const ledgerWork = ({
  ports,
  ports: { sendMail },
  database,
  keptDays,
  outbound,
  hasCompared,
  counts,
}: Omit<Parameters<typeof backgroundWork>[0], "onChain">): Work[] => [
  { name: "sweep", everyMs: 5_000, run: () => ports.ledger.sweep() },
  { name: "sign-ins", everyMs: 60_000, run: () => ports.signIns.sweep() },
  {
    name: "shared-runs",
    everyMs: 60_000,
    run: async () => ports.sharedRuns.sweep(await ports.clock.now()),
  },
  { name: "domains", everyMs: 60_000, run: () => recheckDomains(ports) },
  { name: "refusals", everyMs: 1_000, run: () => ports.refusals.flush() },
  { name: "retention", everyMs: 60_000, run: () => deleteOld(database, keptDays) },
  {
    name: "orders",
    everyMs: 10_000,
    async run() {
      const looked = await resolveOrders(ports);
      counts.stuckOrders = await ports.orders.countStuck();
      return looked;
    },
  },
  {
    name: "events",
    everyMs: 500,
    // A round costs the more the fewer it numbers: only a full one has the next at once.
    run: async () => ((await ports.events.sequence()) === QUEUED_A_ROUND ? 1 : 0),
  },
  { name: "sums", everyMs: 250, run: () => ports.figures.sumRequests() },
  { name: "webhooks", everyMs: 250, ...createDeliveries({ ports, outbound }) },
  {
    name: "daily checks",
    everyMs: 5_000,
    ...createDailyChecks({ ports, outbound: testOutbound(outbound, ports) }),
  },
  { name: "budgets", everyMs: 60_000, run: () => ports.budgets.countNext() },
  { name: "alerts", everyMs: 1_000, run: () => runAlerts(ports) },
  { name: "services", everyMs: 15_000, run: () => noteServices(ports) },
  { name: "cards", everyMs: 60_000, run: () => noteCards(ports) },
  ...(sendMail
    ? [
        { name: "mails", everyMs: 1_000, run: () => sendMails(ports, sendMail) },
        {
          name: "refused mails",
          everyMs: 15_000,
          async run() {
            counts.refusedMails = await ports.mails.countRefused();
          },
        },
      ]
    : []),
  // A ledger that was restored would order and pay out once more what it has forgotten.
  {
    name: "renewals",
    everyMs: 10_000,
    run: async () => (hasCompared() ? resolveRenewals(ports) : 0),
  },
  { name: "refunds", everyMs: 10_000, run: () => resolveRefunds(ports) },
  {
    name: "payouts",
    everyMs: 10_000,
    run: async () => (hasCompared() ? resolvePayouts(ports) : undefined),
  },
  { name: "card money", everyMs: 600_000, run: () => ports.payouts.sumCleared() },
  { name: "statement sums", everyMs: 3_600_000, run: () => sumStatements(ports) },
  { name: "authorizations", everyMs: 10_000, run: () => resolveAuthorizations(ports) },
  { name: "withdrawals", everyMs: 10_000, run: () => resolveWithdrawals(ports) },
  ...(database.kind === "pglite"
    ? [{ name: "statistics", everyMs: 10_000, run: () => refreshStatistics(database) }]
    : []),
];

/** The part of the list that needs the chain alone. */
export const chainWork = (onChain: ChainServices): Work[] => [
  { name: "finality", everyMs: 5_000, run: () => onChain.bundler.checkFinality() },
  { name: "chain revocations", everyMs: 2_000, run: onChain.revoke },
  {
    name: "deposits",
    everyMs: 5_000,
    run: async () => onChain.stablecoin?.followDeposits(),
  },
  { name: "unreadable keys", everyMs: 15_000, run: onChain.readUnreadable },
  { name: "settler gas", everyMs: 60_000, run: onChain.readGas },
  { name: "chain events", everyMs: 10_000, run: onChain.watch },
  {
    name: "reconcile",
    everyMs: 60_000,
    run: onChain.reconcile,
    stop: onChain.stopReconcile,
  },
];
