import * as z from "zod/mini";
import { PageQuery, pageOf } from "../listing.ts";
import { Count, growing } from "../primitives.ts";
import { samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { Done, Nothing } from "./shared.ts";

const Id = z.string().check(z.maxLength(128));
const RuleRef = z.object({ ruleId: Id });

/**
 * What a rule watches, and what its threshold counts: credits left, days left, percent used, days until expiry, minutes
 * that an unsettled call is old, percent of a quarter of an hour's calls, failed checks, failed payouts, minutes of trouble,
 * and tries to send a mail. What is disabled or lost, or can't be renewed, counts as 1.
 */
export const AlertKind = z.enum([
  "credits-below",
  "credits-days",
  "delegation-used",
  "card-expiring",
  "token-expiring",
  "key-expiring",
  "unsettled",
  "declined-rate",
  "error-rate",
  "doctor-failing",
  "payout-failed",
  "service-degraded",
  "email-failing",
  "webhook-disabled",
  "domain-lost",
  "renewal-failing",
]);
export type AlertKind = z.output<typeof AlertKind>;

const Threshold = z.pipe(Count, z.number().check(z.minimum(1), z.maximum(1_000_000_000)));
/** Where an alert is sent besides the app: by email to your confirmed address, and as an event to your webhooks. */
const AlertChannels = z.array(z.enum(["email", "webhook"])).check(z.maxLength(2));

/**
 * When you are alerted. Built-in rules appear in the app, and also send email if only you can fix the cause; your own
 * rule replaces those of its kind.
 */
export const AlertRule = z.object({
  ruleId: z.string(),
  kind: growing(AlertKind),
  /** The one plan, delegation, agent, token, key, card or webhook endpoint it watches; without it all of yours. */
  object: z.optional(z.string()),
  threshold: z.int(),
  channels: AlertChannels,
  isOn: z.boolean(),
  isBuiltIn: z.boolean(),
  createdAt: z.optional(z.string()),
});
export type AlertRule = z.output<typeof AlertRule>;

/** One crossing of a threshold: it opens once, and closes when it clears. */
export const Alert = z.object({
  alertId: z.string(),
  ruleId: z.string(),
  kind: growing(AlertKind),
  status: z.enum(["open", "closed"]),
  title: z.string(),
  detail: z.string(),
  /** What to do, and the page where you do it. */
  action: z.object({ label: z.string(), path: z.string() }),
  object: z.optional(z.string()),
  /** What was measured when it opened. */
  value: z.string(),
  threshold: z.int(),
  openedAt: z.string(),
  closedAt: z.optional(z.string()),
  /** What became of its mail. */
  email: z.optional(z.enum(["waiting", "sent", "failed", "dropped"])),
});
export type Alert = z.output<typeof Alert>;

export const alerts = /* @__PURE__ */ defineCalls({
  /**
   * Adds a rule; one of the same kind, object and threshold is changed instead.
   *
   * @example await payments.alerts.createAlertRule({ kind: "credits-below", threshold: 20, channels: ["email"] })
   */
  createAlertRule: {
    route: "POST /alert-rules",
    repeatable: true,
    input: z.object({
      kind: AlertKind,
      object: z.optional(Id.check(z.minLength(1))),
      threshold: Threshold,
      channels: z._default(AlertChannels, ["email", "webhook"]),
      isOn: z._default(z.boolean(), true),
    }),
    output: AlertRule,
  },
  /** Lists your rules, and the built-in ones that they do not replace. */
  listAlertRules: {
    route: "GET /alert-rules",
    input: Nothing,
    output: z.object({ items: z.array(AlertRule) }),
  },
  /** Changes a rule; changing a built-in one makes it and the others of its kind yours. */
  updateAlertRule: {
    route: "PUT /alert-rules/:ruleId",
    input: z.extend(RuleRef, {
      threshold: z.optional(Threshold),
      channels: z.optional(AlertChannels),
      isOn: z.optional(z.boolean()),
    }),
    output: AlertRule,
  },
  /** Removes a rule of yours and closes its alerts. Without one of its kind, the built-in rules apply again. */
  deleteAlertRule: {
    route: "DELETE /alert-rules/:ruleId",
    args: (ruleId: string) => ({ ruleId }),
    input: RuleRef,
    output: Done,
  },
  /** Lists your alerts, newest first. */
  listAlerts: {
    route: "GET /alerts",
    input: z.extend(PageQuery, { status: z.optional(z.enum(["open", "closed"])) }),
    output: pageOf(Alert),
  },
});

export const alertOperations = /* @__PURE__ */ serveCalls(
  { name: "alerts", section: "Alerts", scope: "activity" },
  alerts,
  {
    createAlertRule: {
      summary: "Add an alert rule",
      sample: () => ({ kind: "credits-below", threshold: 20, channels: ["email"], isOn: true }),
    },
    listAlertRules: { summary: "List alert rules" },
    updateAlertRule: {
      summary: "Change an alert rule",
      sample: ({ spare }) => ({
        ruleId: spare.alertRuleId,
        threshold: 30,
        channels: ["email", "webhook"],
        isOn: true,
      }),
    },
    deleteAlertRule: {
      summary: "Remove an alert rule",
      sample: ({ spare }) => ({ ruleId: spare.alertRuleToDeleteId }),
    },
    listAlerts: {
      summary: "List alerts, newest first",
      sample: () => ({ ...samplePage, status: "open" }),
    },
  },
);
