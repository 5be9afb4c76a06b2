import type { Environment } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import type { OrderRecord } from "@/lib/domain/records.ts";
import type { CustomerBook } from "./customer-book.ts";

export type OrderRef = Pick<OrderRecord, "orderId" | "account"> &
  Partial<Pick<OrderRecord, "reference">>;

/** The payment that was made for an order, or null when none was. */
export type FindPayment = (order: OrderRef) => Promise<Stripe.PaymentIntent | null>;

export type PaymentFinderOptions = {
  stripe: Stripe;
  environment: Environment;
  customers: CustomerBook;
  /** The processor's time, for what counts as recent. */
  now?: () => Date;
};

/** Newer than this, the list of a customer's payments is asked; a search may not know them yet. */
const RECENT_SECS = 2 * 3600;

/**
 * Finds orders' payments: by the reference an order keeps, else recent ones in the customer's list, which is up to
 * date, and older ones by the search, which lags behind by minutes. Of several, the one that went through.
 */
export function createFindPayment(options: PaymentFinderOptions): FindPayment {
  const { stripe, environment, customers, now = () => new Date() } = options;

  return async ({ orderId, account, reference }) => {
    if (reference?.startsWith("pi_")) {
      return stripe.paymentIntents.retrieve(reference, { expand: ["latest_charge"] });
    }
    const isOfOrder = ({ metadata }: Stripe.PaymentIntent) =>
      metadata.order_id === orderId && metadata.environment === environment;
    const found: Stripe.PaymentIntent[] = [];
    const recent = stripe.paymentIntents.list({
      customer: await customers.ensure(account),
      created: { gte: Math.floor(now().getTime() / 1000) - RECENT_SECS },
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
  };
}

/** Order ids are ours; a quote in one would change what is searched for. */
function searchText(orderId: string): string {
  if (/^[\w-]{1,64}$/.test(orderId)) return orderId;
  throw new Error("An order id has letters, digits, - and _ only.");
}
