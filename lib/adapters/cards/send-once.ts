import { LRUCache } from "lru-cache";
import { Stripe } from "stripe";

/** How many refusals that the processor repeats are passed over in one call. */
const MOST_REPEATED = 20;

/** How long the processor's lists may take to show what was just made. */
export const LISTED_MS = 60_000;

/** What is asked before a request that broke at the processor is sent under another key. */
type Broken<T> = {
  /** What it made after all, or nothing. */
  find: () => Promise<T | null | undefined>;
  /** How long after it broke; at once where making it twice is impossible or does no harm. */
  afterMs?: number;
  /** A refusal is the end of it: another replica, which gets the same one, must not be answered otherwise under another key. */
  isFinal?: boolean;
};

/** Sends a request under its idempotency key, or under the next one after a refusal, or when it broke and made nothing. */
export type SendOnce = <T>(
  key: string,
  send: (idempotencyKey: string) => Promise<T>,
  broken?: Broken<T>,
) => Promise<T>;

/**
 * The processor repeats a refusal under its key for a day, even once its cause is fixed, and so a 500 from while the
 * request ran. So a try after a refusal has another key, one after a repeated 500 too once it is known to have made
 * nothing, and a try after any other unknown outcome has the same one. Where the terms depend on what is found, as of
 * a reversal, a key that was used with other terms counts as one that broke. Which keys were refused is remembered,
 * and otherwise learned from the processor, whose repeated answers say that they are.
 *
 * @example await sendOnce(`trr_${payoutId}`, (idempotencyKey) => reverse({ idempotencyKey }));
 */
export function createSendOnce(now: () => Date = () => new Date()): SendOnce {
  const passed = new LRUCache<string, number>({ max: 10_000 });
  const brokenSince = new LRUCache<string, number>({ max: 10_000 });

  /** What a broken request made; throws while that is not to be asked. */
  async function findMade<T>(idempotencyKey: string, cause: unknown, broken?: Broken<T>) {
    // The one with other terms may have got a final refusal.
    const isOther = hadOtherTerms(cause) && !broken?.isFinal;
    if (!isOther && !(cause instanceof Stripe.errors.StripeAPIError)) throw cause;
    const at = now().getTime();
    const since = brokenSince.get(idempotencyKey) ?? at;
    brokenSince.set(idempotencyKey, since);
    if (!broken || !isOfEarlier(cause) || at - since < (broken.afterMs ?? 0)) throw cause;
    return broken.find();
  }

  return async (key, send, broken) => {
    for (let repeated = 0; ; repeated += 1) {
      const earlier = passed.get(key) ?? 0;
      const idempotencyKey = earlier === 0 ? key : `${key}.${earlier}`;
      try {
        return await send(idempotencyKey);
      } catch (cause) {
        if (broken?.isFinal && isRefusal(cause)) throw cause;
        const made = isRefusal(cause) ? null : await findMade(idempotencyKey, cause, broken);
        if (made) return made;
        passed.set(key, Math.max(passed.get(key) ?? 0, earlier + 1));
        if (!isOfEarlier(cause) || repeated === MOST_REPEATED) throw cause;
      }
    }
  };
}

/** Whether it is certain that the request changed nothing, and that it was looked at. */
export const isRefusal = (cause: unknown): cause is Stripe.errors.StripeInvalidRequestError =>
  cause instanceof Stripe.errors.StripeInvalidRequestError;

/** Whether the processor answers that it has no such object. */
export const isMissing = (cause: unknown): cause is Stripe.errors.StripeInvalidRequestError =>
  isRefusal(cause) && cause.code === "resource_missing";

/** Catches the answer that the processor has no such object. */
export function nullIfMissing(cause: unknown): null {
  if (isMissing(cause)) return null;
  throw cause;
}

/** Whether the processor answers that it gives no access to an account: it was closed, or left the platform. */
export const isWithoutAccess = (cause: unknown): cause is Stripe.errors.StripePermissionError =>
  cause instanceof Stripe.errors.StripePermissionError && cause.code === "account_invalid";

/** Whether it answers for an earlier request under the key. */
const isOfEarlier = (cause: unknown): boolean =>
  hadOtherTerms(cause) ||
  (cause instanceof Stripe.errors.StripeError && cause.headers?.["idempotent-replayed"] === "true");

/** Whether the key was used with other terms. 409 says that the request under it is not done. */
const hadOtherTerms = (cause: unknown): boolean =>
  cause instanceof Stripe.errors.StripeIdempotencyError && cause.statusCode === 400;
