import "server-only";
import { OUTBOUND_LIMITS } from "@/lib/adapters/outbound/outbound.ts";
import { OutboundFault } from "@/lib/adapters/outbound/outbound-fault.ts";
import { takeTurns } from "@/lib/adapters/outbound/take-turns.ts";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";

/** Requests of all visitors that are under way at once, so that slow agents cannot occupy the service. */
const VISITORS_AT_ONCE = 40;
const WAIT_MS = 10_000;

/**
 * The guarded outbound client for people without an account. Each client address counts as an account for the guard,
 * and all visitors together share a limited number of connections.
 *
 * `const outbound = visitorOutbound(running.outbound)`
 */
export function visitorOutbound(outbound: Outbound, atOnce = VISITORS_AT_ONCE): Outbound {
  const each = takeTurns(OUTBOUND_LIMITS.inFlight, WAIT_MS);
  const all = takeTurns(atOnce, WAIT_MS);
  return {
    async *send(request) {
      const start = performance.now();
      const taken: (() => void)[] = [];
      try {
        // The address's own turn first: while a request waits for the others of its address, it keeps no visitor out.
        taken.push(await each.take(request.account, request.signal));
        taken.push(await all.take("visitors", request.signal));
        yield* outbound.send(request);
      } catch (cause) {
        if (!(cause instanceof OutboundFault)) throw cause;
        const ms = Math.round(performance.now() - start);
        const message =
          taken.length === 0
            ? cause.message
            : "Too many visitors are running requests right now. Try again in a moment.";
        yield { type: "refused", code: "too_many", message, ms };
      } finally {
        for (const giveBack of taken) giveBack();
      }
    },
  };
}
