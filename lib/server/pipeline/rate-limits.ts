import "server-only";
import { PaymentsError, type RateLane } from "@turnpike/payments/protocol";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** Counts a call by `key`. Throws `rate_limited` with the seconds to wait when it is one too many. */
export type RateLimit = (key: string) => Promise<void>;

export type RateLimits = {
  /** Sign-in attempts, by client address. */
  signIn: RateLimit;
  /** Operations outside a paid call, by API key. */
  api: RateLimit;
  verify: RateLimit;
  /** Settle and release, by API key: wider than verify, because retries count too. */
  settle: RateLimit;
  /** The same three for people signed in, by account. */
  session: Record<RateLane, RateLimit>;
  /** Requests the service sends for its users, by account. */
  outbound: RateLimit;
};

/** Calls per minute; 0 is no limit. */
export type RatesPerMinute = { signIn: number; api: number; verify: number; outbound: number };

const WINDOW_SECS = 60;
/** Settlements and their retries for one verification. */
const SETTLES_PER_VERIFY = 4;
/** One page makes many calls. */
const SESSION_FACTOR = 10;

/** The limits of one process, kept in memory: each replica has its own. */
export function createRateLimits(rates: RatesPerMinute): RateLimits {
  const settles = rates.verify * SETTLES_PER_VERIFY;
  const bySession = (rate: number) => limitTo(rate * SESSION_FACTOR, "calls of one account");
  return {
    signIn: limitTo(rates.signIn, "attempts to sign in from one address"),
    api: limitTo(rates.api, "API calls with one key"),
    verify: limitTo(rates.verify, "verifications with one key"),
    settle: limitTo(settles, "settlements with one key"),
    session: {
      api: bySession(rates.api),
      verify: bySession(rates.verify),
      settle: bySession(settles),
    },
    outbound: limitTo(rates.outbound, "requests sent for one account"),
  };
}

function limitTo(perMinute: number, what: string): RateLimit {
  if (perMinute === 0) return async () => {};
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECS });
  return async (key) => {
    try {
      await limiter.consume(key);
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
