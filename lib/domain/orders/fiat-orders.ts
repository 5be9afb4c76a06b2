import type { FiatOrderAnswer, ParsedInputOf } from "@turnpike/payments/protocol";
import { type Context, invalid, requireCaller } from "../context.ts";
import { getOrderablePlan, getPlanRecord } from "../plans/plans.ts";
import { findCheckoutSession } from "./checkout-session.ts";
import { orderPlan } from "./orders.ts";

const LINK_LASTS_MS = 24 * 3600 * 1000;

/**
 * Buys a plan with a fiat price. With a card or delegation named it is ordered at once; otherwise the answer is a link
 * to the checkout, where a person chooses a card and pays; nothing is charged before that. The checkout orders within
 * the session, so that a link pays once.
 */
export async function orderFiatPlan(
  context: Context,
  input: ParsedInputOf<"orderFiatPlan">,
): Promise<FiatOrderAnswer> {
  const { ports } = context;
  const { account } = requireCaller(context);
  const { idempotencyKey } = input;
  const ordered = idempotencyKey && (await ports.orders.findByKey(account, idempotencyKey));
  const plan = await (ordered ? getPlanRecord : getOrderablePlan)(context, input.planId);
  if (!ports.rails.getByPrice(plan.price).fiatProvider) {
    throw invalid("planId", `Plan ${plan.planId} is not paid by card. Order it with orderPlan.`);
  }
  const { planId, providerPaymentMethodId, delegationId } = input;
  const sessionId = idempotencyKey ?? `cs_${ports.crypto.randomId()}`;
  const isNamed = providerPaymentMethodId !== undefined || delegationId !== undefined;
  const order = isNamed
    ? await orderPlan(context, {
        planId,
        idempotencyKey: sessionId,
        providerPaymentMethodId,
        delegationId,
      })
    : undefined;
  const session = order ? null : await findCheckoutSession(ports, { account, planId }, sessionId);
  const known = session?.order;
  const now = await ports.clock.now();
  const expiresAt = new Date(now.getTime() + LINK_LASTS_MS);
  const link = { session: sessionId, ends: `${expiresAt.getTime()}` };
  const isPaid = order?.success === true || known?.status === "minted";
  return {
    result: {
      stripeCheckoutSessionId: sessionId,
      checkoutLink: linkOf(ports.origin, planId, link, order ?? known),
      clientReferenceId: account,
      paymentStatus: isPaid ? "paid" : "unpaid",
      linkCreatedAt: now.toISOString(),
      linkExpiresAt: expiresAt.toISOString(),
    },
    ...(order && { order }),
  };
}

function linkOf(
  origin: string,
  planId: string,
  link: { session: string; ends: string },
  order: { orderId: string } | null | undefined,
): string {
  const path = `${origin}/checkout/${encodeURIComponent(planId)}`;
  return order ? `${path}/${order.orderId}` : `${path}?${new URLSearchParams(link)}`;
}
