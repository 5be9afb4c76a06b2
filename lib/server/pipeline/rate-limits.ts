import "server-only";
import { PaymentsError, type RateLane } from "@turnpike/payments/protocol";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** Counts a call by `key`. Throws `rate_limited` with the seconds to wait when it is one too many. */
export type RateLimit = (key: string, points?: number) => Promise<void>;

type LaneLimits = Record<RateLane, RateLimit>;

export type RateLimits = ReturnType<typeof createRateLimits>;

/** Calls per minute; 0 is no limit. */
export type RatesPerMinute = {
  signIn: number;
  api: number;
  verify: number;
  outbound: number;
  publicCalls: number;
  pages: number;
};

const WINDOW_SECS = 60;
const REFUSAL_MS = 250;
const MOST_WAITING = 1_000;
/** Settlements and their retries for one verification. */
const SETTLES_PER_VERIFY = 4;
/** One page makes many calls. */
const SESSION_FACTOR = 10;
/** Requests of one run, about: checks of an agent send thirty, and a playground request is one. */
const SENT_BY_A_RUN = 10;
/** Accounts that may share an address and each use their whole limit. */
const ACCOUNTS_PER_ADDRESS = 10;

/** The limits of one process, kept in memory: each replica has its own. */
export function createRateLimits(rates: RatesPerMinute) {
  const lanes = (factor: number, of: string): LaneLimits => ({
    api: limitTo(rates.api * factor, `API calls ${of}`),
    verify: limitTo(rates.verify * factor, `verifications ${of}`),
    // Wider than verify, because retries count too.
    settle: limitTo(rates.verify * SETTLES_PER_VERIFY * factor, `settlements ${of}`),
  });
  return {
    /** By account: `api`, `verify` and `settle` count the calls of all its API keys together. */
    ...lanes(1, "of one account"),
    /** The same three for people signed in. */
    session: lanes(SESSION_FACTOR, "of one account"),
    /** The same three by client address, for all accounts behind it. */
    address: lanes(ACCOUNTS_PER_ADDRESS, "from one address"),
    /** Sign-in attempts, by client address. */
    signIn: limitTo(rates.signIn, "attempts to sign in from one address"),
    /** Calls without a valid API key, by client address. */
    publicCalls: slowly(limitTo(rates.publicCalls, "public calls from one address")),
    /** API keys that this process has not seen before, by client address: each is looked up. */
    unknownKeys: slowly(limitTo(rates.publicCalls, "new API keys from one address")),
    /** Requests for pages, their data and their server actions, by client address. */
    pages: slowly(limitTo(rates.pages, "page requests from one address")),
    /** Runs that make the service send requests for its users, by account and by client address. */
    outbound: limitTo(rates.outbound, "runs and requests of one account"),
    outboundFrom: limitTo(
      rates.outbound * ACCOUNTS_PER_ADDRESS,
      "runs and requests from one address",
    ),
    /** The requests themselves, by account: one run sends many. */
    sent: limitTo(rates.outbound * SENT_BY_A_RUN, "requests sent for one account"),
    /** The same for visitors, by client address, and for all of them together. */
    visitors: together(
      limitTo(rates.outbound, "requests sent for one address"),
      limitTo(rates.outbound * ACCOUNTS_PER_ADDRESS, "requests sent for visitors"),
    ),
  };
}

/** Counts by `key` first, so that one that is over its own limit takes nothing from the others. */
const together =
  (each: RateLimit, all: RateLimit): RateLimit =>
  async (key, points) => {
    await each(key, points);
    await all("", points);
  };

/**
 * Delays each refusal, so that a client that ignores `Retry-After` repeats it less often: refusals, too, take the thread
 * of paid calls. At most so many wait, because each keeps its request in memory.
 */
function slowly(limit: RateLimit): RateLimit {
  let waiting = 0;
  return async (key, points) => {
    try {
      await limit(key, points);
    } catch (cause) {
      if (waiting >= MOST_WAITING) throw cause;
      waiting += 1;
      await new Promise((wake) => setTimeout(wake, REFUSAL_MS));
      waiting -= 1;
      throw cause;
    }
  };
}

function limitTo(perMinute: number, what: string): RateLimit {
  if (perMinute === 0) return async () => {};
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECS });
  return async (key, points = 1) => {
    try {
      await limiter.consume(key, points);
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
