import type { BudgetPeriod, Budgets, InputOf } from "@turnpike/payments/protocol";
import { minorDigits } from "@/lib/console/minor-units.ts";
import { readMoney } from "../ui/values/money-reading.ts";
import { typedAmount } from "../ui/values/money-text.ts";
import type { Limit } from "./budget-text.ts";
import { lowestOf } from "./lowest-limits.ts";

type Input = InputOf<"setBudgets">;

/** The form's values: amounts as typed, empty where there is no limit; lists with one id on each line. */
export type BudgetValues = {
  money: Record<BudgetPeriod, string>;
  credits: Record<BudgetPeriod, string>;
  /** Limits of one builder or agent: `of` is an address or an agent id. */
  scoped: { of: string; period: BudgetPeriod; unit: Limit["unit"]; limit: string }[];
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

const isWide = ({ builder, agentId }: Limit): boolean => !builder && !agentId;

/** What the form shows of the budgets now. */
export function valuesOf({ currency, allow, approval, ...budgets }: Budgets): BudgetValues {
  const limits = lowestOf(budgets.limits);
  const decimals = minorDigits(currency);
  const money = { ...NONE };
  const credits = { ...NONE };
  for (const limit of limits.filter(isWide)) {
    if (limit.unit === "money") money[limit.period] = typedAmount(limit.limit, decimals);
    else credits[limit.period] = limit.limit;
  }
  const { above, aboveCredits, newBuilders, outsideHours, minutes } = approval ?? {};
  const scoped = limits
    .filter((limit) => !isWide(limit))
    .map(({ builder, agentId, period, unit, limit }) => ({
      of: builder ?? agentId ?? "",
      period,
      unit,
      limit: unit === "money" ? typedAmount(limit, decimals) : limit,
    }));
  return {
    money,
    credits,
    scoped,
    builders: (allow?.builders ?? []).join("\n"),
    agents: (allow?.agents ?? []).join("\n"),
    above: above === undefined ? "" : typedAmount(above, decimals),
    aboveCredits: aboveCredits?.toString() ?? "",
    newBuilders: newBuilders ?? false,
    from: outsideHours?.from ?? "",
    to: outsideHours?.to ?? "",
    minutes: minutes?.toString() ?? "",
  };
}

const MOST = 2n ** 256n - 1n;

export function checkAmount(text: string, decimals: number): string | true {
  if (text.trim() === "") return true;
  const reading = readMoney(text, decimals);
  if (!reading.isAmount) return reading.fault;
  return reading.amount <= MOST || "Enter a smaller amount.";
}

/** The same for a limit that must be given. */
export const checkLimit = (text: string, decimals: number): string | true =>
  text.trim() === "" ? "Enter an amount." : checkAmount(text, decimals);

/** Whether a text can name a builder or an agent; what is wrong, or true. */
export const isScope = (text: string): string | true =>
  /^(0x[0-9a-fA-F]{40}|\d{1,78})$/.test(text.trim()) ||
  "Enter an account address, 0x and 40 hex digits, or an agent ID, which is a number.";

/** The budgets to save, the limits of one builder or agent first. Amounts were checked field by field. */
export function inputOf(values: BudgetValues, { currency }: Pick<Budgets, "currency">): Input {
  const decimals = minorDigits(currency);
  const wide = BUDGET_PERIODS.flatMap((period) => [
    ...limitOf(period, "money", amountOf(values.money[period], decimals)),
    ...limitOf(period, "credits", amountOf(values.credits[period], 0)),
  ]);
  const scoped = values.scoped.flatMap(({ of, period, unit, limit }) =>
    limitOf(period, unit, amountOf(limit, unit === "money" ? decimals : 0)).map((one) => ({
      ...one,
      ...(of.trim().startsWith("0x") ? { builder: of.trim() } : { agentId: of.trim() }),
    })),
  );
  const [builders, agents] = [linesOf(values.builders), linesOf(values.agents)];
  const allow = { ...(builders.length > 0 && { builders }), ...(agents.length > 0 && { agents }) };
  const minutes = values.minutes.trim();
  const approval = { ...approvalOf(values, decimals), ...(minutes && { minutes }) };
  return {
    currency,
    limits: [...scoped, ...wide],
    allow,
    approval,
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

/** The ids of a list, in lines or with commas between them. */
export const linesOf = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((line) => line.trim())
    .filter(Boolean);
