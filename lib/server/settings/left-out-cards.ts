import { cardTerms } from "@/lib/adapters/cards/card-terms.ts";
import type { Queryable } from "@/lib/adapters/db/client.ts";
import { findOpenOnRail } from "@/lib/adapters/db/money/open-on-rail.ts";

/**
 * Why a service without cards leaves something undone in this database, or null. No reason to refuse the start: a deployment
 * that stops selling by card may decide what to do with the rest.
 */
export async function findLeftOutCards(database: Queryable): Promise<string | null> {
  const kinds = await findOpenOnRail(database, cardTerms);
  if (kinds.length === 0) return null;
  return `PAYMENT_RAILS leaves out cards, and this database has card payments that need them (${kinds.join(", ")}). Stripe's webhooks are refused, and nothing is refunded or paid out. Set PAYMENT_RAILS=crypto,cards; docs/operations.md says how to stop selling by card.`;
}
