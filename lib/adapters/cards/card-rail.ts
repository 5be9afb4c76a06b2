import { Stripe } from "stripe";
import type { ChargeOutcome } from "@/lib/domain/orders/order-ports.ts";
import type { Rail } from "@/lib/domain/rails/rail.ts";
import type { DelegationRecord, OrderRecord, PlanRecord } from "@/lib/domain/records.ts";
import type { CardParts } from "./card-parts.ts";
import type { ChosenCard, SavedCards } from "./card-processor.ts";
import { cardTerms } from "./card-terms.ts";
import { chargeAmountOf } from "./charge-amount.ts";
import { createChargeTransfers } from "./connected/charge-transfers.ts";
import { createDisputeEvidence } from "./dispute-evidence.ts";
import type { FindPayment, OrderRef } from "./find-payment.ts";
import type { OpenPayments } from "./open-payments.ts";
import { orderMetadata } from "./order-metadata.ts";
import { outcomeOfError, readOutcome, UNAVAILABLE } from "./payment-outcome.ts";
import type { Refunds } from "./refund.ts";
import { readable, scrub } from "./scrub.ts";

export type CardRailOptions = CardParts & {
  cards: SavedCards;
  findPayment: FindPayment;
  openPayments: OpenPayments;
  refunds: Refunds;
  /** The processor's accounts of builders that have one, by the builder's address in lower case. */
  connectedAccounts?: ReadonlyMap<string, string> | undefined;
};

export type CardRail = Rail &
  OpenPayments &
  Refunds & {
    lookUp: (order: OrderRef) => Promise<ChargeOutcome | null>;
  };

const HEALTHY_FOR_MS = 10_000;

/**
 * The rail of `svc:card-delegation`: an order is one off-session payment of a saved card. The first request
 * carries the order's idempotency key; a repeat looks for the payment first, so that nothing is paid twice even after
 * the processor has forgotten the key.
 *
 * @example const { rail } = openCards({ ...settings, environment: "sandbox" });
 */
export function createCardRail(options: CardRailOptions): CardRail {
  const { stripe, findPayment, connectedAccounts } = options;
  const isHealthy = createHealthCheck(stripe);

  async function lookUp(order: OrderRef) {
    const intent = await findPayment(order);
    return intent && readOutcome(stripe, intent);
  }

  return {
    ...cardTerms,
    ...options.openPayments,
    ...options.refunds,
    ...createDisputeEvidence(stripe),
    ...createChargeTransfers(options),
    sendsOn: (owner) => connectedAccounts?.has(owner.toLowerCase()) === true,
    lookUp: (order) => readable(() => lookUp(order)),
    charge: (order, plan, delegation) =>
      readable(async () => {
        const isRepeat = order.attempt > 0 || order.status !== "reserved";
        const earlier = isRepeat ? await lookUp(order) : null;
        return earlier ?? createPayment(options, { order, plan, delegation, isRepeat });
      }),
    signers: () => ({ pattern: cardTerms.network, addresses: [] }),
    isHealthy,
  };
}

async function createPayment(
  { stripe, environment, cards, connectedAccounts }: CardRailOptions,
  parts: {
    order: OrderRecord;
    plan: PlanRecord;
    delegation: DelegationRecord | null;
    isRepeat: boolean;
  },
): Promise<ChargeOutcome> {
  const { order, plan, delegation, isRepeat } = parts;
  const objection = objectionTo(order, delegation);
  if (objection) return objection;
  const charge = chargeAmountOf(order);
  if ("objection" in charge) {
    const nextStep = "Ask the builder to change the price.";
    return refuse("amount_not_chargeable", charge.objection, nextStep);
  }
  const wanted = order.paymentMethodId ?? delegation?.paymentMethodId ?? null;
  let card: ChosenCard | null;
  try {
    card = await cards.chooseCard(order.account, wanted);
  } catch (cause) {
    // Before the first payment request, nothing can have been charged.
    if (isRepeat || !(cause instanceof Stripe.errors.StripeError)) throw cause;
    return UNAVAILABLE;
  }
  if (!card) {
    const nextStep = "Save a card and order again.";
    return refuse("card_not_found", "You have no such saved card.", nextStep);
  }
  const destination = connectedAccounts?.get(plan.owner.toLowerCase());
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
        metadata: orderMetadata(order, environment),
        ...(destination && { transfer_data: { destination } }),
        expand: ["latest_charge"],
      },
      { idempotencyKey: `ord_${order.orderId}` },
    );
    return await readOutcome(stripe, intent);
  } catch (cause) {
    return outcomeOfError(cause, isRepeat);
  }
}

/** Asks the processor at most once in ten seconds while it is healthy. */
function createHealthCheck(stripe: Stripe): () => Promise<boolean> {
  let healthyUntil = 0;
  return async () => {
    if (performance.now() < healthyUntil) return true;
    await stripe.balance.retrieve({}, { timeout: 2_000 }).catch((cause) => {
      throw new Error(scrub(String(cause)));
    });
    healthyUntil = performance.now() + HEALTHY_FOR_MS;
    return true;
  };
}

/** Why no card may be charged under the delegation, or null. */
function objectionTo(
  order: OrderRecord,
  delegation: DelegationRecord | null,
): ChargeOutcome | null {
  if (!delegation) return null;
  if (delegation.provider !== cardTerms.delegationProvider) {
    return refuse(
      "wrong_provider",
      `The delegation spends by ${delegation.provider}; this plan is paid by card.`,
      "Use a card delegation.",
    );
  }
  if (delegation.currency.toLowerCase() !== order.currency.toLowerCase()) {
    return refuse(
      "currency_mismatch",
      `The plan costs ${order.currency.toUpperCase()}, the delegation spends ${delegation.currency.toUpperCase()}.`,
      `Use a delegation in ${order.currency.toUpperCase()}.`,
    );
  }
  return null;
}

const refuse = (code: string, what: string, nextStep: string): ChargeOutcome => ({
  status: "refused",
  code,
  message: `${what} ${nextStep}`,
  nextStep,
});
