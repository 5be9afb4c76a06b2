import type { Stripe } from "stripe";
import type { OrderRecord } from "@/lib/domain/records.ts";
import type { CardParts } from "./card-parts.ts";

export type OrderRef = Pick<OrderRecord, "orderId" | "account" | "createdAt"> &
  Partial<Pick<OrderRecord, "reference">>;

/** The payment that was made for an order, or null when none was. */
export type FindPayment = (order: OrderRef) => Promise<Stripe.PaymentIntent | null>;

/** An order is charged within minutes after it was made; a day allows for clocks. */
const CHARGED_WITHIN_SECS = 86_400;
/** How far the processor's clock may be behind. */
const SKEW_SECS = 3_600;
/** More of one customer in a day are not read. */
const MOST_PAYMENTS = 10_000;

/**
 * Finds orders' payments: by the reference an order keeps, else in the list of what its customer paid since the order was
 * made. A list is up to date and is there in every region; a search is neither. Of several, the one that went through.
 */
export function createFindPayment(options: CardParts): FindPayment {
  const { stripe, environment, customers, now = () => new Date() } = options;

  return async ({ orderId, account, reference, createdAt }) => {
    if (reference?.startsWith("pi_")) {
      return stripe.paymentIntents.retrieve(reference, { expand: ["latest_charge"] });
    }
    const isOfOrder = ({ metadata }: Stripe.PaymentIntent) =>
      metadata.order_id === orderId && metadata.environment === environment;
    const madeAt = Math.floor(createdAt.getTime() / 1000);
    const since = Math.min(madeAt, Math.floor(now().getTime() / 1000)) - SKEW_SECS;
    const findOf = async (customer: string) => {
      const made = stripe.paymentIntents.list({
        customer,
        created: { gte: since, lte: madeAt + CHARGED_WITHIN_SECS },
        limit: 100,
        expand: ["data.latest_charge"],
      });
      const found: Stripe.PaymentIntent[] = [];
      let count = 0;
      for await (const intent of made) {
        count += 1;
        // One that is not read may be the order's.
        if (count > MOST_PAYMENTS) throw new Error("The customer has too many payments to read.");
        if (isOfOrder(intent)) found.push(intent);
      }
      return found.find(({ status }) => status === "succeeded") ?? found[0] ?? null;
    };
    const customer = await customers.ensure(account);
    const found = await findOf(customer);
    if (found) return found;
    // Another replica may have charged a later customer of the account.
    const latest = await customers.refresh(account);
    return latest === customer ? null : findOf(latest);
  };
}
