import { invalid } from "../context.ts";

/**
 * How long a reservation outlives its verify or its last renewal. The gate renews it while work or stream lives, so this
 * is the grace after the gate falls silent, in which the builder may still settle whatever happened to the token.
 */
export const LEASE_SECS = 300;
/** The longest that a gate may decide calls by a lease, whatever its token allows. */
export const MAX_LEASE_SECS = 60;
/** The lease that a token's owner allows: 0 without one, and for a token that is bound to a key, whose requests are each signed. */
export function leaseSecsOf(of: { leaseSecs?: number | undefined; cnf?: unknown }): number {
  const { leaseSecs = 0, cnf } = of;
  if (leaseSecs <= MAX_LEASE_SECS) return cnf ? 0 : leaseSecs;
  throw invalid("leaseSecs", `A lease lasts at most ${MAX_LEASE_SECS} seconds.`);
}
/** How long after its verify a reservation ends, however often it is renewed. */
export const LEASE_CAP_SECS = 86_400;
