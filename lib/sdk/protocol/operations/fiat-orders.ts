import type * as z from "zod/mini";
import { FiatOrder, FiatOrderAnswer } from "../card.ts";
import { defineCalls, serveCalls } from "./operation.ts";

/** How to pay for an order of a card plan. */
export type OrderFiatPlanOptions = Omit<z.input<typeof FiatOrder>, "planId">;

export const fiatOrders = /* @__PURE__ */ defineCalls({
  /**
   * Buys a card plan. With `providerPaymentMethodId` or `delegationId` the card is charged immediately and `order`
   * has the outcome. Without, `result.checkoutLink` is a page where a person pays, and nothing is charged yet. Throws
   * `invalid_input` for a plan that is not paid by card, `payment_refused` with the bank's reason.
   *
   * @example const { result } = await payments.plans.orderFiatPlan(planId); open(result.checkoutLink)
   */
  orderFiatPlan: {
    route: "POST /fiat/stripe/payment",
    repeatKey: "idempotencyKey",
    repeatKeyPrefix: "ord_",
    args: (planId: string, options: OrderFiatPlanOptions = {}) => ({ ...options, planId }),
    input: FiatOrder,
    output: FiatOrderAnswer,
  },
});

export const fiatOrderOperations = /* @__PURE__ */ serveCalls(
  { name: "plans", section: "Plans and orders", scope: "orders" },
  fiatOrders,
  {
    orderFiatPlan: {
      summary: "Buy a card plan: charge a saved card immediately, or get a link to the checkout",
      tenancy: "everyone",
      sample: ({ spare }) => ({
        planId: spare.cardPlanId,
        sessionType: "embedded",
        idempotencyKey: "sample-checkout",
      }),
    },
  },
);
