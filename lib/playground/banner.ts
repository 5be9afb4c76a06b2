import type { MoneyStatus } from "@turnpike/payments/protocol";
import { describeOutcome, type Outcome } from "./outcomes.ts";
import { decidingStep, type Run } from "./run.ts";

export function bannerOf(run: Run): {
  money: MoneyStatus | null;
  sentence: string;
  /** The badge of a run without a payment status: what happened instead. */
  badge: { word: string; status: Outcome["status"] } | null;
  action: Outcome["action"];
} {
  const deciding = decidingStep(run);
  if (!deciding?.outcome) return { money: run.money, sentence: "", badge: null, action: undefined };
  const { verdict, summary, word, status, action } = describeOutcome(
    deciding.outcome,
    deciding.values,
  );
  const badge = run.money ? null : { word, status };
  return { money: run.money, sentence: summary ?? verdict, badge, action };
}
