import type { MoneyStatus } from "@turnpike/payments/protocol";
import { describeOutcome, type Outcome } from "./outcomes.ts";
import type { Run } from "./run.ts";

/** The payment status of a run in one sentence. */
export function bannerOf(run: Run): {
  money: MoneyStatus | null;
  sentence: string;
  action: Outcome["action"];
} {
  const deciding = run.steps.findLast(({ outcome }) => outcome !== null && outcome !== "not-asked");
  if (!deciding?.outcome) return { money: run.money, sentence: "", action: undefined };
  const { verdict, summary, action } = describeOutcome(deciding.outcome, deciding.values);
  return { money: run.money, sentence: summary ?? verdict, action };
}
