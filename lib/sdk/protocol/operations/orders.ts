import * as z from "zod/mini";
import { CreateDelegationPayload } from "../delegation.ts";
import { OrderReceipt } from "../plans/plan.ts";
import { IdempotencyKey } from "../primitives.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { PlanRef } from "./shared.ts";

const SECTION = "Plans and orders";
/** An order waits for a chain or a card. */
const ORDER_TIMEOUT_MS = 60_000;

const OrderPlan = z.extend(PlanRef, {
  idempotencyKey: z.optional(IdempotencyKey),
  providerPaymentMethodId: z.optional(z.string().check(z.maxLength(255))),
  delegationId: z.optional(z.string().check(z.maxLength(64))),
  /** Creates a delegation for the plan together with the order, which is the first it pays. */
  delegationConfig: z.optional(
    z.pick(CreateDelegationPayload, {
      spendingLimitCents: true,
      durationSecs: true,
      maxTransactions: true,
      currency: true,
    }),
  ),
  /** Revokes the delegation when the order is declined: it was created for this order. */
  endsDelegation: z.optional(z.boolean()),
  /** The version of the plan whose price and credits are accepted. The order is refused once the plan has another. */
  planVersion: z.optional(z.int().check(z.minimum(0))),
});

/** How to pay for an order. `idempotencyKey` names it, so that a repeat pays once. */
export type OrderPlanOptions = Omit<z.input<typeof OrderPlan>, "planId">;

export const orders = /* @__PURE__ */ defineCalls({
  /**
   * Orders a plan: pays its price and receives its credits. Repeats with one `idempotencyKey` pay once;
   * without a key one is created, which covers only this call's own retries. Throws `conflict` when the plan has
   * another version than `planVersion`.
   */
  orderPlan: {
    route: "POST /protocol/plans/:planId/order",
    timeoutMs: ORDER_TIMEOUT_MS,
    repeatKey: "idempotencyKey",
    repeatKeyPrefix: "ord_",
    args: (planId: string, options: OrderPlanOptions = {}) => ({ ...options, planId }),
    input: OrderPlan,
    output: OrderReceipt,
  },
  /** Gets one of your orders. */
  getOrder: {
    route: "GET /orders/:orderId",
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
      sample: ({ planId }) => ({ planId, idempotencyKey: "sample-order" }),
    },
    getOrder: { summary: "Get one of your orders" },
  },
);
