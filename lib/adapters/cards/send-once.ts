import { LRUCache } from "lru-cache";
import { Stripe } from "stripe";

/** How many refusals that the processor repeats are passed over in one call. */
const MOST_REPEATED = 20;

/** Sends a request under its idempotency key, or under the next one after a refusal. */
export type SendOnce = <T>(key: string, send: (idempotencyKey: string) => Promise<T>) => Promise<T>;

/**
 * The processor repeats a refusal under its key for a day, also once its cause is gone. So a try after a refusal has
 * another key, and a try after an unknown outcome has the same one. Which keys were refused is remembered, and
 * otherwise learned from the processor, whose repeated answers say that they are.
 *
 * @example await sendOnce(`trr_${payoutId}`, (idempotencyKey) => reverse({ idempotencyKey }));
 */
export function createSendOnce(): SendOnce {
  const refusals = new LRUCache<string, number>({ max: 10_000 });
  return async (key, send) => {
    for (let repeated = 0; ; repeated += 1) {
      const earlier = refusals.get(key) ?? 0;
      try {
        return await send(earlier === 0 ? key : `${key}.${earlier}`);
      } catch (cause) {
        if (!isRefusal(cause)) throw cause;
        refusals.set(key, Math.max(refusals.get(key) ?? 0, earlier + 1));
        if (!isRepeated(cause) || repeated === MOST_REPEATED) throw cause;
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

const isRepeated = ({ headers }: Stripe.errors.StripeError): boolean =>
  headers?.["idempotent-replayed"] === "true";
