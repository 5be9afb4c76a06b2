import type { PlanDraft } from "./plan-draft.ts";

/** An amount means nothing without its currency: the price stays or changes as one. */
const PRICE: readonly string[] = [
  "rail",
  "cardCurrency",
  "stablecoin",
  "tokenAddress",
  "tokenDecimals",
  "receivers",
] satisfies (keyof PlanDraft)[];

/** A draft begun from one version's fields, as edits of another version: what was not edited is the other version's. */
export function rebaseDraft(draft: PlanDraft, from: PlanDraft, to: PlanDraft): PlanDraft {
  const keys = Object.keys(to) as (keyof PlanDraft)[];
  const edited = keys.filter((key) => JSON.stringify(draft[key]) !== JSON.stringify(from[key]));
  const isPriceEdited = edited.some((key) => PRICE.includes(key));
  const kept = keys.filter((key) => (PRICE.includes(key) ? isPriceEdited : edited.includes(key)));
  return { ...to, ...Object.fromEntries(kept.map((key) => [key, draft[key]])) };
}
