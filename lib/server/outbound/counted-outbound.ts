import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import type { RateLimit } from "../pipeline/rate-limits.ts";

/**
 * The guarded outbound client that counts each request where it is sent, for the account that it is sent for: one run
 * of checks or one page may send many. A request too many is refused, and says when to try again.
 *
 * `const outbound = countedOutbound(parts.outbound, limits.sent)`
 */
export const countedOutbound = (outbound: Outbound, count: RateLimit): Outbound => ({
  async *send(request) {
    const start = performance.now();
    try {
      await count(request.account);
    } catch (cause) {
      if (!PaymentsError.is(cause) || cause.code !== "rate_limited") throw cause;
      const message = [cause.message, cause.hint].filter(Boolean).join(" ");
      const ms = Math.round(performance.now() - start);
      yield { type: "refused", code: "too_many", message, ms };
      return;
    }
    yield* outbound.send(request);
  },
});
