import { changedFields, mergedList } from "../forms/changes.ts";
import { type BudgetValues, linesOf } from "./read-budgets.ts";

/** What the form was opened with, and what it holds now. */
export type BudgetEdit = { saved: BudgetValues; values: BudgetValues };

export const isEdited = ({ saved, values }: BudgetEdit): boolean =>
  Object.keys(changedFields(saved, values)).length > 0;

/**
 * The budgets as they are now, with an edit of older ones: the operation replaces all of them, and another tab or the API
 * may have set limits since.
 */
export function mergeBudgets({ saved, values }: BudgetEdit, now: BudgetValues): BudgetValues {
  const lines = (name: "builders" | "agents") =>
    mergedList(linesOf(saved[name]), linesOf(values[name]), linesOf(now[name])).join("\n");
  return {
    ...now,
    ...changedFields(saved, values),
    money: { ...now.money, ...changedFields(saved.money, values.money) },
    credits: { ...now.credits, ...changedFields(saved.credits, values.credits) },
    scoped: mergedList(saved.scoped, values.scoped, now.scoped),
    builders: lines("builders"),
    agents: lines("agents"),
  };
}
