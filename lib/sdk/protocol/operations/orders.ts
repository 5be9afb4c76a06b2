import * as z from "zod/mini";
import { FiatOrder, FiatOrderAnswer } from "../card.ts";
import { OrderQuery, OrderSummary, Subscription } from "../holdings.ts";
import { PageQuery, pageOf } from "../listing.ts";
import { OrderReceipt } from "../plans/plan.ts";
import { IdempotencyKey, PlanId } from "../primitives.ts";
import { samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { PlanRef } from "./shared.ts";

const SECTION = "Plans and orders";
/** An order waits for a chain or a card. */
const ORDER_TIMEOUT_MS = 60_000;

const OrderPlan = z.extend(PlanRef, {
  idempotencyKey: z.optional(IdempotencyKey),
  providerPaymentMethodId: z.optional(z.string().check(z.maxLength(255))),
  delegationId: z.optional(z.string().check(z.maxLength(64))),
});

/** How to pay for an order. `idempotencyKey` names it, so that a repeat pays once. */
export type OrderPlanOptions = Omit<z.input<typeof OrderPlan>, "planId">;
export type OrderFiatPlanOptions = Omit<z.input<typeof FiatOrder>, "planId">;

export const orders = /* @__PURE__ */ defineCalls({
  /**
   * Orders a plan: pays its price and receives its credits. Repeats with one `idempotencyKey` pay once;
   * without a key one is created, which covers only this call's own retries.
   */
  orderPlan: {
    method: "POST",
    path: "/protocol/plans/:planId/order",
    timeoutMs: ORDER_TIMEOUT_MS,
    repeatKey: "idempotencyKey",
    repeatKeyPrefix: "ord_",
    args: (planId: string, options: OrderPlanOptions = {}) => ({ ...options, planId }),
    input: OrderPlan,
    output: OrderReceipt,
  },
  /**
   * Buys a card plan. With `providerPaymentMethodId` or `delegationId` the card is charged at once and `order`
   * has the outcome. Without, `result.checkoutLink` is a page where a person pays, and nothing is charged yet.
   * Throws `invalid_input` for a plan that is not paid by card, `payment_refused` with the bank's reason.
   *
   * @example const { result } = await payments.plans.orderFiatPlan(planId); open(result.checkoutLink)
   */
  orderFiatPlan: {
    method: "POST",
    path: "/fiat/stripe/payment",
    repeatKey: "idempotencyKey",
    repeatKeyPrefix: "ord_",
    args: (planId: string, options: OrderFiatPlanOptions = {}) => ({ ...options, planId }),
    input: FiatOrder,
    output: FiatOrderAnswer,
  },
  /** Gets one of your orders. */
  getOrder: {
    method: "GET",
    path: "/orders/:orderId",
    args: (orderId: string) => ({ orderId }),
    input: z.object({ orderId: z.string().check(z.maxLength(64)) }),
    output: OrderReceipt,
  },
});

export const orderOperations = /* @__PURE__ */ serveCalls(
  { name: "plans", section: SECTION, scope: "orders" },
  orders,
  {
    orderPlan: {
      summary: "Order a plan: pay its price and receive its credits",
      tenancy: "everyone",
    },
    orderFiatPlan: {
      summary: "Buy a card plan: charge a saved card at once, or get a link to the checkout",
      tenancy: "everyone",
      sample: ({ spare }) => ({
        planId: spare.cardPlanId,
        sessionType: "embedded",
        idempotencyKey: "sample-checkout",
      }),
    },
    getOrder: { summary: "Get one of your orders" },
  },
);

export const holdings = /* @__PURE__ */ defineCalls({
  /** Lists your orders, declined ones included, newest first. */
  listOrders: { method: "GET", path: "/orders", input: OrderQuery, output: pageOf(OrderSummary) },
  /** Lists the plans you ordered and their remaining credits. */
  listSubscriptions: {
    method: "GET",
    path: "/subscriptions",
    input: z.extend(PageQuery, { planId: z.optional(PlanId) }),
    output: pageOf(Subscription),
  },
});

export const holdingOperations = /* @__PURE__ */ serveCalls(
  { name: "holdings", section: SECTION, scope: "orders" },
  holdings,
  {
    listOrders: {
      summary: "List your orders, newest first",
      sample: ({ planId }) => ({ ...samplePage, planId, status: "minted" }),
    },
    listSubscriptions: {
      summary: "List the plans you ordered and their remaining credits",
      sample: ({ planId }) => ({ ...samplePage, planId }),
    },
  },
);
