import { Stripe } from "stripe";
import { createStripe, type StripeSettings } from "./stripe-client.ts";

const { StripePermissionError, StripeInvalidRequestError } = Stripe.errors;
/** Asked again, it would answer the same. */
const REFUSALS = [StripePermissionError, StripeInvalidRequestError];

/** A start must not wait longer for what it can do without. */
const TIMEOUT_MS = 5_000;

/**
 * The id of the account that the key belongs to; null without a key, and where the processor refuses to say it, as to a
 * restricted key that may not read its account. Undefined while it is away.
 *
 * @example const cardAccount = await findCardAccount(env.stripe);
 */
export async function findCardAccount(
  settings: StripeSettings | undefined,
): Promise<string | null | undefined> {
  if (!settings) return null;
  const stripe = createStripe({ ...settings, timeoutMs: TIMEOUT_MS });
  return stripe.accounts.retrieveCurrent().then(
    ({ id }) => id,
    (cause) => (REFUSALS.some((refusal) => cause instanceof refusal) ? null : undefined),
  );
}
