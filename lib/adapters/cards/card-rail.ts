import type { Environment } from "@turnpike/payments/protocol";
import { Stripe } from "stripe";
import type { ChargeOutcome, SettlementRail } from "@/lib/domain/ports.ts";
import type { DelegationRecord, OrderRecord } from "@/lib/domain/records.ts";
import type { ChosenCard, SavedCards } from "./card-processor.ts";
import { chargeAmountOf } from "./charge-amount.ts";
import type { CustomerBook } from "./customer-book.ts";
import { findPayment } from "./find-payment.ts";
import { outcomeOfError, outcomeOfIntent, UNAVAILABLE } from "./payment-outcome.ts";
import { PaymentOutcomeUnknown, scrub } from "./scrub.ts";

export type CardRailOptions = {
  stripe: Stripe;
  environment: Environment;
  customers: CustomerBook;
  cards: SavedCards;
  /** The processor's time, for what counts as recent. */
  now?: () => Date;
};

export type CardRail = SettlementRail & {
  /**
   * What became of an order's payment, without asking for one: null when none was made. Throws while
   * nobody knows.
   */
  lookUp: (order: Pick<OrderRecord, "orderId" | "account">) => Promise<ChargeOutcome | null>;
};

const HEALTHY_FOR_MS = 10_000;

/**
 * The rail of `svc:card-delegation`: an order is one off-session payment of a saved card. The first request
 * carries the order's idempotency key; a repeat looks for the payment first, so that nothing is paid twice
 * even after the processor has forgotten the key.
 *
 * @example const rail = createCardRail({ stripe, environment: "sandbox", customers, cards });
 */
export function createCardRail(options: CardRailOptions): CardRail {
  const { stripe, environment, customers, cards, now = () => new Date() } = options;
  let healthyUntil = 0;

  async function lookUp({ orderId, account }: Pick<OrderRecord, "orderId" | "account">) {
    const customer = await customers.ensure(account);
    const intent = await findPayment(stripe, { orderId, environment, customer, now: now() });
    return intent && outcomeOfIntent(intent);
  }

  async function create(
    order: OrderRecord,
    delegation: DelegationRecord | null,
    isRepeat: boolean,
  ): Promise<ChargeOutcome> {
    const objection = objectionTo(order, delegation);
    if (objection) return objection;
    const charge = chargeAmountOf(order);
    if ("objection" in charge) return refuse("amount_not_chargeable", charge.objection);
    const wanted = order.paymentMethodId ?? delegation?.paymentMethodId ?? null;
    let card: ChosenCard | null;
    try {
      card = await cards.chooseCard(order.account, wanted);
    } catch (cause) {
      // Before the first payment was asked for, nothing can have been charged.
      if (isRepeat || !(cause instanceof Stripe.errors.StripeError)) throw cause;
      return UNAVAILABLE;
    }
    if (!card) {
      return refuse("card_not_found", "There is no such saved card. Save a card and order again.");
    }
    try {
      const intent = await stripe.paymentIntents.create(
        {
          amount: charge.amount,
          currency: order.currency.toLowerCase(),
          customer: card.customer,
          payment_method: card.paymentMethodId,
          allowed_payment_method_types: ["card"],
          off_session: true,
          confirm: true,
          metadata: { order_id: order.orderId, environment },
          expand: ["latest_charge"],
        },
        { idempotencyKey: `ord_${order.orderId}` },
      );
      return outcomeOfIntent(intent);
    } catch (cause) {
      return outcomeOfError(cause, isRepeat);
    }
  }

  return {
    scheme: "svc:card-delegation",
    provider: "card-processor",
    network: "card-processor",
    mirrors: false,
    firstChainStatus: "none",
    lookUp: (order) => readable(() => lookUp(order)),
    charge: (order, _plan, delegation) =>
      readable(async () => {
        const isRepeat = order.attempt > 0 || order.status !== "reserved";
        const earlier = isRepeat ? await lookUp(order) : null;
        return earlier ?? create(order, delegation, isRepeat);
      }),
    signers: () => ({ pattern: "card-processor", addresses: [] }),
    async isHealthy() {
      if (performance.now() < healthyUntil) return true;
      try {
        await stripe.balance.retrieve({}, { timeout: 2_000 });
        healthyUntil = performance.now() + HEALTHY_FOR_MS;
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** What stands against charging a card before one is asked for. */
function objectionTo(
  order: OrderRecord,
  delegation: DelegationRecord | null,
): ChargeOutcome | null {
  if (!delegation) return null;
  if (delegation.provider !== "card-processor") {
    return refuse(
      "wrong_provider",
      `The delegation spends by ${delegation.provider}; this plan is paid by card. Use a card delegation.`,
    );
  }
  if (delegation.currency.toLowerCase() !== order.currency.toLowerCase()) {
    return refuse(
      "currency_mismatch",
      `The plan costs ${order.currency.toUpperCase()}, the delegation spends ${delegation.currency.toUpperCase()}. Use a delegation in ${order.currency.toUpperCase()}.`,
    );
  }
  return null;
}

const refuse = (code: string, message: string): ChargeOutcome => ({
  status: "refused",
  code,
  message,
});

/** Whatever is thrown may be logged: no card, key or customer in its words, and no cause behind it. */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof PaymentOutcomeUnknown) throw cause;
    const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    throw new PaymentOutcomeUnknown(scrub(text));
  }
}
