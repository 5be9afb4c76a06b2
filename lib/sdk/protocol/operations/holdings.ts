import * as z from "zod/mini";
import { OrderQuery, OrderSummary, Subscription } from "../holdings.ts";
import { PageQuery, pageOf } from "../listing.ts";
import { PlanId } from "../primitives.ts";
import { samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";

const SECTION = "Plans and orders";

export const holdings = /* @__PURE__ */ defineCalls({
  /** Lists your orders, declined ones included, newest first. */
  listOrders: { route: "GET /orders", input: OrderQuery, output: pageOf(OrderSummary) },
  /** Lists the plans you ordered and their remaining credits. */
  listSubscriptions: {
    route: "GET /subscriptions",
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
