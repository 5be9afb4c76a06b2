import { describeTerms } from "../describe-plan.ts";
import type { Market } from "../market.ts";
import type { PlanTerms } from "../plan-terms.ts";

export type TermsChange = { key: string; term: string; before: string; after: string };

/** What differs between two versions of a plan's terms, line by line. */
export function termsChanges(now: PlanTerms, next: PlanTerms, market: Market): TermsChange[] {
  const before = new Map(describeTerms(now, market).map((fact) => [fact.key, fact]));
  const after = new Map(describeTerms(next, market).map((fact) => [fact.key, fact]));
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].flatMap((key) => {
    const [one, other] = [before.get(key), after.get(key)];
    if (one?.text === other?.text) return [];
    const term = (other ?? one)?.term ?? key;
    return [{ key, term, before: one?.text ?? "none", after: other?.text ?? "none" }];
  });
}
