import * as z from "zod/mini";
import { PageQuery, pageOf } from "../listing.ts";
import { Decimal, PlanId } from "../primitives.ts";
import { samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { PlanRef } from "./shared.ts";

/** Whether a time plan of yours is ordered again before its time ends. `price` is in the smallest unit of `currency`. */
export const Renewal = z.object({
  planId: z.string(),
  planName: z.string(),
  /** `stopped`: it ended on its own, and `failure` says why. */
  state: z.enum(["on", "off", "stopped"]),
  delegationId: z.string(),
  /** The price that was agreed to. Another price stops the renewal. */
  price: Decimal,
  currency: z.string(),
  /** When the time that was paid for ends. */
  endsAt: z.optional(z.string()),
  /** When it is ordered again, or tried again after a failure. */
  renewsAt: z.optional(z.string()),
  /** Whether that is so soon that the subscriber is notified. */
  isSoon: z.boolean(),
  /** Why the last attempt failed, or why it stopped. `requires_action`: its payment waits for a confirmation. */
  failure: z.optional(z.object({ code: z.string(), message: z.string() })),
  /** Why the next order won't be made: its delegation (`delegation_…`), a budget or the plan, as they are now, don't allow it. */
  obstacle: z.optional(z.object({ code: z.string(), message: z.string() })),
  /** The order whose payment has to be confirmed. */
  orderId: z.optional(z.string()),
});
export type Renewal = z.output<typeof Renewal>;

export const renewals = /* @__PURE__ */ defineCalls({
  /**
   * Turns the renewal of one of your time plans on, within a delegation and at today's price, or off. Turning it on
   * again changes the delegation and accepts the current price. Throws `invalid_input` for a delegation that cannot
   * pay for the plan, and for plans without a time; `conflict` when the plan has another version than `planVersion`.
   *
   * @example await payments.money.setRenewal({ planId, isOn: true, delegationId })
   */
  setRenewal: {
    route: "PUT /plans/:planId/renewal",
    input: z.extend(PlanRef, {
      isOn: z.boolean(),
      /** Needed to switch it on. */
      delegationId: z.optional(z.string().check(z.maxLength(64))),
      /** The version of the plan whose price and time are agreed to. Refused once the plan has another. */
      planVersion: z.optional(z.int().check(z.minimum(0))),
    }),
    output: Renewal,
  },
  /**
   * Lists the renewals of your time plans, those that come first at the top. Without `limit`, `cursor` and `page`, the
   * first 1,000 are one page, because clients of earlier releases know no pages.
   */
  listRenewals: {
    route: "GET /renewals",
    input: z.extend(PageQuery, { planId: z.optional(PlanId) }),
    // A service of an earlier release answers with `items` alone.
    output: z.partial(pageOf(Renewal), { total: true, page: true, offset: true }),
  },
});

export const renewalOperations = /* @__PURE__ */ serveCalls(
  { name: "money", section: "Plans and orders", scope: "orders" },
  renewals,
  {
    setRenewal: {
      summary: "Renew a time plan automatically within a delegation, or stop",
      sample: ({ spare }) => ({
        planId: spare.timePlanId,
        isOn: true,
        delegationId: spare.renewingDelegationId,
      }),
    },
    listRenewals: {
      summary: "List the renewals of your time plans",
      sample: ({ spare }) => ({ ...samplePage, planId: spare.timePlanId }),
    },
  },
);
