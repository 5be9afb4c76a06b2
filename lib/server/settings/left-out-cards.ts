import { cardTerms } from "@/lib/adapters/cards/card-terms.ts";
import type { Queryable } from "@/lib/adapters/db/client.ts";
import { findLeft, findOpenOnRail } from "@/lib/adapters/db/money/open-on-rail.ts";
import { plural } from "@/lib/text/plural.ts";

/**
 * Why a service without cards leaves something undone in this database, or null. No reason to refuse the start: a deployment
 * that stops selling by card may decide what to do with the rest.
 */
export async function findLeftOutCards(database: Queryable): Promise<string | null> {
  const kinds = await findOpenOnRail(database, cardTerms);
  if (kinds.length === 0) return null;
  return `PAYMENT_RAILS leaves out cards, and this database has card payments that need them (${kinds.join(", ")}). Stripe's webhooks are refused, and nothing is refunded or paid out. Set PAYMENT_RAILS=crypto,cards; docs/operations.md says how to stop selling by card.`;
}

/** The plans by card that are left, which a service without cards sells no more, and the balances that stay usable. */
export async function leftCardPlans(database: Queryable): Promise<string> {
  const { plans, planIds, balances } = await findLeft(database, { isCrypto: false });
  const named = [...planIds, ...(plans > planIds.length ? ["…"] : [])].join(", ");
  return `${plural(plans, "plan")} not archived${named && ` (${named})`}, sold no more; ${plural(balances, "balance")} with credits, which stay usable`;
}
