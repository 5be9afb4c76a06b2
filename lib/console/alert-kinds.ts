import type { AlertKind } from "@turnpike/payments/protocol";

/** What has the ID that a rule can name. */
export type AlertObject =
  | "plan"
  | "delegation"
  | "card"
  | "token"
  | "key"
  | "agent"
  | "endpoint"
  | "part";

type AlertKindRow = {
  /** The rule's sentence around its threshold; without an `after` it has none to edit. */
  before: string;
  after?: string;
  /** The thresholds of the built-in rules. */
  builtIn: readonly number[];
  /** What a new rule begins with; the first built-in threshold by default. */
  usual?: number;
  /** What a rule without an ID watches. */
  objects: string;
  /** Absent where no ID is known beforehand. */
  about?: AlertObject;
  /** Whether built-in rules are mailed too, or none is: a mail about mail that is rejected would be rejected, too. */
  mail?: "built-in" | "never";
  icon:
    | "alert"
    | "bell"
    | "card"
    | "chain"
    | "console"
    | "cross"
    | "doctor"
    | "gauge"
    | "half"
    | "hook"
    | "key"
    | "subscriptions"
    | "verified";
};

/** Every kind of alert, in the order rules offer them. */
export const ALERT_KINDS: Readonly<Record<AlertKind, AlertKindRow>> = {
  "credits-below": {
    before: "Credits fall below",
    after: "credits",
    builtIn: [10],
    usual: 20,
    objects: "All plans you bought",
    about: "plan",
    icon: "subscriptions",
  },
  "credits-days": {
    before: "Credits will run out within",
    after: "days",
    builtIn: [2],
    objects: "All plans you bought",
    about: "plan",
    icon: "subscriptions",
  },
  "delegation-used": {
    before: "A delegation has used",
    after: "% of its money, charges or time",
    builtIn: [50, 80, 95],
    usual: 80,
    objects: "All delegations",
    about: "delegation",
    icon: "gauge",
  },
  "card-expiring": {
    before: "A card expires within",
    after: "days",
    builtIn: [14],
    objects: "Cards used by delegations",
    about: "card",
    icon: "card",
  },
  "token-expiring": {
    before: "A token expires within",
    after: "days",
    builtIn: [3],
    objects: "Tokens valid for a week or more",
    about: "token",
    icon: "key",
  },
  "key-expiring": {
    before: "An API key expires within",
    after: "days",
    builtIn: [7],
    objects: "All API keys",
    about: "key",
    icon: "console",
  },
  unsettled: {
    before: "A delivered call stays unsettled for",
    after: "minutes",
    builtIn: [10],
    objects: "All agents",
    about: "agent",
    icon: "half",
  },
  "declined-rate": {
    before: "Declined calls reach",
    after: "% in 15 minutes",
    builtIn: [25],
    objects: "Agents with 20 calls or more",
    about: "agent",
    icon: "cross",
  },
  "error-rate": {
    before: "Failed calls reach",
    after: "% in 15 minutes",
    builtIn: [5],
    objects: "Agents with 20 calls or more",
    about: "agent",
    icon: "alert",
  },
  "doctor-failing": {
    before: "The doctor finds at least",
    after: "problems",
    builtIn: [1],
    objects: "All agents",
    about: "agent",
    icon: "doctor",
  },
  "payout-failed": {
    before: "A payout fails",
    builtIn: [1],
    objects: "Your payouts",
    icon: "cross",
  },
  "service-degraded": {
    before: "The chain or the card processor is degraded, or sales are stopped, for",
    after: "minutes",
    builtIn: [2],
    objects: "This service",
    about: "part",
    icon: "chain",
  },
  "email-failing": {
    before: "Your mail server rejects our email",
    after: "times",
    builtIn: [3],
    objects: "Your email address",
    mail: "never",
    icon: "bell",
  },
  "webhook-disabled": {
    before: "Turnpike disables a webhook endpoint",
    builtIn: [1],
    objects: "All webhook endpoints",
    about: "endpoint",
    mail: "built-in",
    icon: "hook",
  },
  "domain-lost": {
    before: "An agent loses its domain verification",
    builtIn: [1],
    objects: "All agents",
    about: "agent",
    mail: "built-in",
    icon: "verified",
  },
  "renewal-failing": {
    before: "A renewal can’t be paid",
    builtIn: [1],
    objects: "All renewals",
    about: "plan",
    mail: "built-in",
    icon: "subscriptions",
  },
};

/** Whether this release knows a kind: a later one, which may run beside it, adds more. */
export const isKnownKind = (kind: string): kind is AlertKind => Object.hasOwn(ALERT_KINDS, kind);

/** What is known of a kind; one that a later release adds is shown by its name. */
export const alertKindOf = (kind: string): AlertKindRow =>
  isKnownKind(kind)
    ? ALERT_KINDS[kind]
    : { before: kind, builtIn: [], objects: "All", mail: "never", icon: "bell" };
