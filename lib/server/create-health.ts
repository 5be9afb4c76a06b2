import type { Environment } from "@turnpike/payments/protocol";
import type { Database } from "@/lib/adapters/db/client.ts";
import type { Log } from "@/lib/domain/ports.ts";
import type { CardServices } from "./card-services.ts";
import type { ChainServices } from "./chain/chain-services.ts";
import type { SecretCheck } from "./check-data.ts";
import type { LedgerComparison } from "./comparison/ledger-comparison.ts";
import { API_VERSION } from "./http/api.ts";
import { createHealthCheck, type HealthProbe, probeDatabase, probeRail } from "./http/health.ts";
import { BUILD_ID } from "./watch/build-id.ts";

type WatchedChain = Pick<
  ChainServices,
  "facts" | "salesStop" | "findOverdue" | "findAhead" | "findSettlerFault" | "findUnreadable"
> & {
  rail: Parameters<typeof probeRail>[1];
};

type HealthParts = {
  database: Database;
  onChain: WatchedChain | undefined;
  onCards: CardServices | null;
  comparison: LedgerComparison;
  secrets: Pick<SecretCheck, "findDegraded">;
  accountCheck?: Pick<SecretCheck, "findDegraded">;
  /** What a service without cards leaves undone in its database, as read at the start. */
  leftOut?: string | null;
};

/** Answers what health says: of all parts, or of those that a payment needs. */
export function createHealth(
  { database, onChain, onCards, comparison, secrets, accountCheck, leftOut = null }: HealthParts,
  environment: Environment,
  stuckOrders: () => number,
  log: Log,
) {
  const probe = probeDatabase(database);
  const probes: HealthProbe[] = [
    {
      ...probe,
      findDegraded: () =>
        probe.findDegraded?.() ?? secrets.findDegraded() ?? accountCheck?.findDegraded() ?? leftOut,
    },
    ...(onChain ? [probeChain(onChain)] : []),
    ...(onCards
      ? [{ ...probeRail("cards", onCards.rail), facts: () => ({ stuckOrders: stuckOrders() }) }]
      : []),
    withStuckOrders(comparison.probe, stuckOrders),
  ];
  const about = { environment, version: API_VERSION, ...(BUILD_ID && { build: BUILD_ID }) };
  return createHealthCheck(probes, about, log);
}

/** Orders on chain can be stuck, too, and there may be no cards. */
const withStuckOrders = (probe: HealthProbe, stuckOrders: () => number): HealthProbe => ({
  ...probe,
  facts: () => ({ ...probe.facts?.(), stuckOrders: stuckOrders() }),
});

const probeChain = ({ rail, facts, ...watched }: WatchedChain): HealthProbe => ({
  ...probeRail("chain", rail),
  facts,
  findDegraded: () => {
    const reason = watched.salesStop();
    const causes = [
      reason && `sales stopped: ${reason}`,
      watched.findOverdue(),
      watched.findAhead(),
      watched.findSettlerFault(),
      watched.findUnreadable(),
    ];
    return causes.filter(Boolean).join("; ") || null;
  },
});
