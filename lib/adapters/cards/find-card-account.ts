import { Stripe } from "stripe";
import { createStripe, type StripeSettings } from "./stripe-client.ts";

/** A start must not wait longer for what it can do without. */
const TIMEOUT_MS = 5_000;

/**
 * The id of the account that the key belongs to; null without a key, and where a restricted key may not read its account.
 * Undefined while the processor does not say it.
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
    (cause) => (cause instanceof Stripe.errors.StripePermissionError ? null : undefined),
  );
}
