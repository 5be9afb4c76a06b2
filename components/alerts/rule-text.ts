import type { AlertKind, AlertRule } from "@turnpike/payments/protocol";
import { ALERT_KINDS, alertKindOf } from "@/lib/console/alert-kinds.ts";
import { pluralWord } from "@/lib/text/plural.ts";

export const takesId = (kind: string): boolean => alertKindOf(kind).about !== undefined;

export const isMailed = (kind: string): boolean => alertKindOf(kind).mail !== "never";

/** The threshold a new rule begins with. */
export const usualOf = (kind: string): number => {
  const { usual, builtIn } = alertKindOf(kind);
  return usual ?? builtIn[0] ?? 1;
};

export function countRules(rules: Pick<AlertRule, "kind" | "isOn" | "channels">[]) {
  const on = rules.filter(({ isOn }) => isOn);
  return {
    email: on.filter(({ kind, channels }) => isMailed(kind) && channels.includes("email")).length,
    webhook: on.filter(({ channels }) => channels.includes("webhook")).length,
  };
}

export const KINDS = Object.keys(ALERT_KINDS) as AlertKind[];

/** What follows a threshold in the rule's sentence: `minutes`, of one `minute`. */
export const afterOf = (kind: string, threshold: number): string | undefined => {
  const { after } = alertKindOf(kind);
  return after?.replace(/^\w+s\b/, (unit) => pluralWord(threshold, unit.slice(0, -1)));
};

/** A rule in one line: `A delegation has used 80% of its money, charges or time`. */
export const ruleSentence = (kind: string, threshold: number): string => {
  const { before } = alertKindOf(kind);
  const after = afterOf(kind, threshold);
  if (!after) return before;
  return `${before} ${threshold}${after.startsWith("%") ? "" : " "}${after}`;
};

export const readThreshold = (text: string): number | undefined =>
  /^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text.trim()) : undefined;

export const THRESHOLD_ERROR = "Enter a whole number above 0.";
