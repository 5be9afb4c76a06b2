import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** Counts one more of `who`. Throws `rate_limited` with the seconds to wait when it is one too many. */
export type RateLimit = (who: string) => Promise<void>;

export type RateLimits = {
  /** Attempts to prove who one is, by client address. */
  signIn: RateLimit;
  /** Operations of the API but those of a paid call, by API key. */
  api: RateLimit;
  verify: RateLimit;
  /** Settle and release, by API key: never fewer than verify grants, and a retry is one as well. */
  settle: RateLimit;
  /** What the service calls for its users, by account. */
  outbound: RateLimit;
};

/** How many of each a minute; 0 is no limit. */
export type RatesPerMinute = { signIn: number; api: number; verify: number; outbound: number };

const WINDOW_SECS = 60;
/** Settlements and their retries for one verification. */
const SETTLES_PER_VERIFY = 4;

/** The limits of one process, kept in memory: a service of several processes grants as many times more. */
export function createRateLimits(rates: RatesPerMinute): RateLimits {
  return {
    signIn: limitTo(rates.signIn, "attempts to sign in from one address"),
    api: limitTo(rates.api, "API calls with one key"),
    verify: limitTo(rates.verify, "verifications with one key"),
    settle: limitTo(rates.verify * SETTLES_PER_VERIFY, "settlements with one key"),
    outbound: limitTo(rates.outbound, "requests sent for one account"),
  };
}

function limitTo(perMinute: number, what: string): RateLimit {
  if (perMinute === 0) return async () => {};
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECS });
  return async (who) => {
    try {
      await limiter.consume(who);
    } catch (cause) {
      if (!(cause instanceof RateLimiterRes)) throw cause;
      const retryAfterSecs = Math.max(1, Math.ceil(cause.msBeforeNext / 1000));
      throw new PaymentsError(
        "rate_limited",
        `More than ${perMinute} ${what} in a minute. Nothing was done.`,
        { retryAfterSecs, hint: `Wait ${retryAfterSecs} s, then send it again.` },
      );
    }
  };
}
