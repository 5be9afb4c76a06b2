import type { AlertKind, AlertRule } from "@turnpike/payments/protocol";
import { pluralWord } from "@/lib/text/plural.ts";

/** A rule's sentence around its threshold; without an `after` it has none to edit. */
export type RuleText = { before: string; after?: string; usual: number; objects: string };

/** What each kind of rule says, in the order they are offered. */
export const RULE_TEXTS: Record<AlertKind, RuleText> = {
  "credits-below": {
    before: "Credits fall below",
    after: "credits",
    usual: 20,
    objects: "All plans you bought",
  },
  "credits-days": {
    before: "Credits will run out within",
    after: "days",
    usual: 2,
    objects: "All plans you bought",
  },
  "delegation-used": {
    before: "A delegation has used",
    after: "% of its money, charges or time",
    usual: 80,
    objects: "All delegations",
  },
  "card-expiring": {
    before: "A card expires within",
    after: "days",
    usual: 14,
    objects: "Cards used by delegations",
  },
  "token-expiring": {
    before: "A token expires within",
    after: "days",
    usual: 3,
    objects: "Tokens valid for a week or more",
  },
  "key-expiring": {
    before: "An API key expires within",
    after: "days",
    usual: 7,
    objects: "All API keys",
  },
  unsettled: {
    before: "A delivered call stays unsettled for",
    after: "minutes",
    usual: 10,
    objects: "All agents",
  },
  "declined-rate": {
    before: "Declined calls reach",
    after: "% in 15 minutes",
    usual: 25,
    objects: "Agents with 20 calls or more",
  },
  "error-rate": {
    before: "Failed calls reach",
    after: "% in 15 minutes",
    usual: 5,
    objects: "Agents with 20 calls or more",
  },
  "doctor-failing": {
    before: "The doctor finds at least",
    after: "problems",
    usual: 1,
    objects: "All agents",
  },
  "payout-failed": { before: "A payout fails", usual: 1, objects: "Your payouts" },
  "service-degraded": {
    before: "The chain or the card processor is degraded, or sales are stopped, for",
    after: "minutes",
    usual: 2,
    objects: "This service",
  },
  "email-failing": {
    before: "Your mail server rejects our e-mail",
    after: "times",
    usual: 3,
    objects: "Your e-mail address",
  },
};

/** Whether a rule can be about one ID: payouts and the account's mail have none that is known beforehand. */
export const takesId = (kind: AlertKind): boolean =>
  kind !== "payout-failed" && kind !== "email-failing";

/** Whether a rule can be mailed: a mail about mail that is refused would be refused, too. */
export const isMailed = (kind: AlertKind): boolean => kind !== "email-failing";

/** The rules that are on and use a channel, by channel. */
export function countRules(rules: Pick<AlertRule, "kind" | "isOn" | "channels">[]) {
  const on = rules.filter(({ isOn }) => isOn);
  return {
    email: on.filter(({ kind, channels }) => isMailed(kind) && channels.includes("email")).length,
    webhook: on.filter(({ channels }) => channels.includes("webhook")).length,
  };
}

export const KINDS = Object.keys(RULE_TEXTS) as AlertKind[];

/** What follows a threshold in the rule's sentence: `minutes`, of one `minute`. */
export const afterOf = (kind: AlertKind, threshold: number): string | undefined => {
  const { after } = RULE_TEXTS[kind];
  return after?.replace(/^\w+s\b/, (unit) => pluralWord(threshold, unit.slice(0, -1)));
};

/** A rule in one line: `A delegation has used 80% of its money, charges or time`. */
export const ruleSentence = (kind: AlertKind, threshold: number): string => {
  const { before } = RULE_TEXTS[kind];
  const after = afterOf(kind, threshold);
  if (!after) return before;
  return `${before} ${threshold}${after.startsWith("%") ? "" : " "}${after}`;
};

/** A whole number above zero; undefined for anything else. */
export const readThreshold = (text: string): number | undefined =>
  /^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text.trim()) : undefined;

export const THRESHOLD_ERROR = "Enter a whole number above 0.";
