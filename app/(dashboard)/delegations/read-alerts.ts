import "server-only";
import type { DelegationSummary } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";
import { alertsOf } from "@/components/delegations/delegation-alerts.ts";
import { nameOf } from "@/components/delegations/delegation-text.ts";
import { DAY_MS } from "@/lib/text/durations.ts";

/** The effects of an expiry are read for the few delegations that expire within a day. */
const MAX_READ = 5;

export async function readAlerts(live: DelegationSummary[], now: Date) {
  const expiring = live
    .filter(({ expiresAt }) => Date.parse(expiresAt) - now.getTime() <= DAY_MS)
    .slice(0, MAX_READ);
  const effects = await Promise.all(
    expiring.map(({ delegationId }) => read("getDelegationEffects", { delegationId })),
  );
  const agents = new Map(effects.map((each) => [each.delegationId, each.agents.length]));
  return live.flatMap((each) =>
    alertsOf({ ...each, name: nameOf(each) }, now, agents.get(each.delegationId)),
  );
}
