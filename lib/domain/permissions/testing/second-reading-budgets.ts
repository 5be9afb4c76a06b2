import type { Cause } from "../causes.ts";
import { type Case, permissionOf, type Rule, refuse } from "./second-case.ts";

/** What the request costs in the unit of a limit; null where the limit is not about it. */
function costOf({ isOrdering, amount, price }: Case, unit: "money" | "credits"): bigint | null {
  if (unit === "credits") return amount ?? 0n;
  return isOrdering ? price.minorUnits : null;
}

/** The first limit that refuses, in the order of the list. */
function firstLimit(of: Case): Cause | null {
  const { budgets } = of.question.facts;
  for (const { unit, cause, left, currency } of budgets?.room ?? []) {
    if (unit === null) return cause;
    const cost = costOf(of, unit);
    if (cost === null) continue;
    if (unit === "money" && of.price.total > 0n && of.price.currency !== currency)
      return "budget_currency";
    if (cost > (left ?? 0n)) return cause;
  }
  return budgets && of.isOrdering && of.price.total > 0n && of.price.currency === null
    ? "budget_currency"
    : null;
}

/** Whether a rule asks for a person. */
function isAsked(of: Case): boolean {
  const asks = of.question.facts.budgets?.asks;
  if (!asks) return false;
  const isExpensive =
    asks.above !== null &&
    of.isOrdering &&
    ((of.price.total > 0n && of.price.currency !== asks.currency) ||
      of.price.minorUnits > asks.above);
  const isLarge = asks.aboveCredits !== null && (of.amount ?? 0n) > asks.aboveCredits;
  return asks.reason !== null || isExpensive || isLarge;
}

const approvalIn = ({ question }: Case) => question.facts.budgets?.approval ?? null;

/** An approval covers its maximum: one order while it is unused, and the credits of the request that used it. */
function isCovered(of: Case): boolean {
  const approval = approvalIn(of);
  if (!approval || approval.state === "declined") return false;
  if ((of.amount ?? 0n) > approval.maxCredits) return false;
  if (!of.isOrdering) return true;
  return (
    approval.state === "approved" &&
    (of.price.total === 0n || approval.currency === of.price.currency) &&
    of.price.minorUnits <= approval.maxCents
  );
}

/** What budgets say once credits or an order would pay for the request. */
export const BUDGETS: readonly Rule[] = [
  {
    section: "6, Budgets",
    says: "The first limit of the account's and the delegation's budgets that has too little left refuses",
    applies: (of) => firstLimit(of) !== null,
    answer: (of) => refuse(firstLimit(of) ?? "budget_per_call")(of),
  },
  {
    section: "6, Budgets",
    says: "A request that a person declined is refused until the approval would have expired",
    applies: (of) => isAsked(of) && approvalIn(of)?.state === "declined",
    answer: refuse("approval_declined"),
  },
  {
    section: "6, Budgets",
    says: "A request that a rule names waits for a person, and passes once, up to what was approved",
    applies: (of) => isAsked(of) && !isCovered(of),
    answer: (of) => {
      const { total, unit, currency, minorUnits: cents } = of.price;
      const order = of.isOrdering ? { currency, unit, total, cents } : null;
      const refused = refuse("pending_approval")(of);
      if (refused.kind !== "refuse") return refused;
      return { ...refused, asks: { permission: permissionOf(of), order } };
    },
  },
];
