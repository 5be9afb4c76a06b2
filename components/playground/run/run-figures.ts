import { MONEY_DECIMALS } from "@/lib/console/currency-decimals.ts";
import type { Run, StepId } from "@/lib/playground/run.ts";
import { sizeText } from "@/lib/playground/steps/judge-answer.ts";
import { callCost } from "../../plans/unit-price.ts";
import { amountText, groupDigits } from "../../ui/values/money-text.ts";

/** A figure of a run, in display order; an id is shortened, with a copy button. */
export type RunFigure = { term: string; value: string; isId?: boolean };

export function figuresOf(run: Run): RunFigure[] {
  const { credits, planName, agentRequestId } = run;
  const figure = (term: string, value: string | null | undefined, isId = false): RunFigure[] =>
    value ? [{ term, value, ...(isId && { isId }) }] : [];
  return [
    ...figure("Credits", credits && changeText(credits)),
    ...figure("Cost", worthOf(run)),
    ...figure("Response", answerOf(run)),
    ...figure("Transaction", transactionOf(run), true),
    ...figure("Plan", credits && planName),
    ...figure("Request", agentRequestId, true),
  ];
}

const stepOf = (run: Run, id: StepId) => run.steps.find((step) => step.id === id);
const grouped = (text: string) => (/^\d+$/.test(text) ? groupDigits(text) : text);

/** `97 → 96`; only the remaining balance where the earlier one is unknown. */
const changeText = ({ before, after }: { before: string; after: string }) =>
  before === "" ? `${grouped(after)} left` : `${grouped(before)} → ${grouped(after)}`;

/** The credits' cost at the plan's price: `0.10 USDC`, with `about` where it is rounded. */
function worthOf(run: Run): string | null {
  const { price, granted, used, currency } = stepOf(run, "settle")?.values ?? {};
  if (!currency || ![price, granted, used].every((text) => text && /^\d{1,78}$/.test(text))) {
    return null;
  }
  if (BigInt(granted ?? 0) === 0n) return null;
  const cost = callCost(BigInt(price ?? 0), BigInt(used ?? 0), BigInt(granted ?? 0));
  const code = currency === currency.toLowerCase() ? currency.toUpperCase() : currency;
  return `${cost.isExact ? "" : "about "}${amountText(cost.amount, MONEY_DECIMALS, code)} ${code}`;
}

/** The response the run ended with: to the paid request, or to the first if no payment was required. */
function answerOf(run: Run): string | null {
  const ask = stepOf(run, "ask");
  const first = ask?.outcome === "challenged" ? null : ask?.exchange?.answer;
  const answer = stepOf(run, "pay")?.exchange?.answer ?? first;
  return answer ? `${answer.status}, ${sizeText(answer.bytes)}` : null;
}

function transactionOf(run: Run): string | null {
  const fact = stepOf(run, "settle")?.facts.find(({ name }) => name === "transaction");
  return fact && /^(0x|[a-z]+_)\w+$/.test(fact.value) ? fact.value : null;
}
