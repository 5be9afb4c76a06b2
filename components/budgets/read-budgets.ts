import type { BudgetPeriod, Budgets, InputOf } from "@turnpike/payments/protocol";
import { amountText, readMoney } from "../ui/values/money-text.ts";
import { decimalsOf, type Limit } from "./budget-text.ts";

type Input = InputOf<"setBudgets">;

/** The form's values: amounts as typed, empty where there is no limit; lists with one id on each line. */
export type BudgetValues = {
  money: Record<BudgetPeriod, string>;
  credits: Record<BudgetPeriod, string>;
  builders: string;
  agents: string;
  above: string;
  aboveCredits: string;
  newBuilders: boolean;
  from: string;
  to: string;
  minutes: string;
};

export const BUDGET_PERIODS: readonly BudgetPeriod[] = ["call", "day", "week", "month"];
const NONE: Record<BudgetPeriod, string> = { call: "", day: "", week: "", month: "" };

/** Limits of one builder or agent are kept as they are: the form changes those over everything. */
const isWide = ({ builder, agentId }: Limit): boolean => !builder && !agentId;

/** What the form shows of the budgets now. */
export function valuesOf({ currency, limits, allow, approval }: Budgets): BudgetValues {
  const decimals = decimalsOf(currency);
  const money = { ...NONE };
  const credits = { ...NONE };
  for (const limit of limits.filter(isWide)) {
    if (limit.unit === "money") money[limit.period] = amountText(limit.limit, decimals);
    else credits[limit.period] = limit.limit;
  }
  const { above, aboveCredits, newBuilders, outsideHours, minutes } = approval ?? {};
  return {
    money,
    credits,
    builders: (allow?.builders ?? []).join("\n"),
    agents: (allow?.agents ?? []).join("\n"),
    above: above === undefined ? "" : amountText(above, decimals),
    aboveCredits: aboveCredits?.toString() ?? "",
    newBuilders: newBuilders ?? false,
    from: outsideHours?.from ?? "",
    to: outsideHours?.to ?? "",
    minutes: minutes?.toString() ?? "",
  };
}

/** A fault of a typed amount, or true. */
export function checkAmount(text: string, decimals: number): string | true {
  if (text.trim() === "") return true;
  const reading = readMoney(text, decimals);
  return reading.isAmount || reading.fault;
}

/** The budgets to save. Amounts were checked field by field. */
export function inputOf(values: BudgetValues, { currency, limits }: Budgets): Input {
  const decimals = decimalsOf(currency);
  const wide = BUDGET_PERIODS.flatMap((period) => [
    ...limitOf(period, "money", amountOf(values.money[period], decimals)),
    ...limitOf(period, "credits", amountOf(values.credits[period], 0)),
  ]);
  const narrow = limits
    .filter((limit) => !isWide(limit))
    .map(({ period, unit, limit, builder, agentId }) => ({
      period,
      unit,
      limit,
      ...(builder && { builder }),
      ...(agentId && { agentId }),
    }));
  const allow = { builders: linesOf(values.builders), agents: linesOf(values.agents) };
  const approval = approvalOf(values, decimals);
  return {
    currency,
    limits: [...wide, ...narrow],
    ...(allow.builders.length + allow.agents.length > 0 && { allow }),
    ...(Object.keys(approval).length > 0 && {
      approval: { ...approval, ...(values.minutes.trim() && { minutes: values.minutes.trim() }) },
    }),
  };
}

function approvalOf(values: BudgetValues, decimals: number): NonNullable<Input["approval"]> {
  const above = amountOf(values.above, decimals);
  const aboveCredits = amountOf(values.aboveCredits, 0);
  const { from, to, newBuilders } = values;
  return {
    ...(above !== null && { above }),
    ...(aboveCredits !== null && { aboveCredits }),
    ...(newBuilders && { newBuilders }),
    ...((from || to) && { outsideHours: { from, to } }),
  };
}

const limitOf = (period: BudgetPeriod, unit: Limit["unit"], limit: string | null) =>
  limit === null ? [] : [{ period, unit, limit }];

function amountOf(text: string, decimals: number): string | null {
  const reading = readMoney(text, decimals);
  return reading.isAmount ? reading.amount.toString() : null;
}

const linesOf = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((line) => line.trim())
    .filter(Boolean);
