import type { Environment } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";

/** Newer than this, the list of a customer's payments is asked; a search may not know them yet. */
const RECENT_SECS = 2 * 3600;

/**
 * The payment that was made for an order, or null when none was. Recent ones are looked for in the customer's
 * list, which is up to date, older ones in the search, which lags behind by minutes. Of several, the one that
 * went through.
 */
export async function findPayment(
  stripe: Pick<Stripe, "paymentIntents">,
  about: { orderId: string; environment: Environment; customer: string; now: Date },
): Promise<Stripe.PaymentIntent | null> {
  const { orderId, environment, customer, now } = about;
  const isOfOrder = ({ metadata }: Stripe.PaymentIntent) =>
    metadata.order_id === orderId && metadata.environment === environment;
  const found: Stripe.PaymentIntent[] = [];
  const recent = stripe.paymentIntents.list({
    customer,
    created: { gte: Math.floor(now.getTime() / 1000) - RECENT_SECS },
    limit: 100,
    expand: ["data.latest_charge"],
  });
  for await (const intent of recent) if (isOfOrder(intent)) found.push(intent);
  if (found.length === 0) {
    const { data } = await stripe.paymentIntents.search({
      query: `metadata["order_id"]:"${searchText(orderId)}"`,
      limit: 100,
      expand: ["data.latest_charge"],
    });
    found.push(...data.filter(isOfOrder));
  }
  return found.find(({ status }) => status === "succeeded") ?? found[0] ?? null;
}

/** Order ids are ours; a quote in one would change what is searched for. */
function searchText(orderId: string): string {
  if (/^[\w-]{1,64}$/.test(orderId)) return orderId;
  throw new Error("An order id has letters, digits, - and _ only.");
}
