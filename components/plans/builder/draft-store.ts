import { type PlanDraft, restoreDraft } from "./plan-draft.ts";

/** Where a draft is kept: in this browser and nowhere else, apart for each account. */
const keyOf = (account: string | undefined) => `turnpike.plan-draft.${account ?? "nobody"}`;

/** The draft kept here, or the fresh one. */
export function loadDraft(account: string | undefined, fresh: PlanDraft): PlanDraft {
  try {
    return restoreDraft(JSON.parse(localStorage.getItem(keyOf(account)) ?? "null"), fresh);
  } catch {
    return fresh;
  }
}

export function saveDraft(account: string | undefined, draft: PlanDraft): void {
  try {
    localStorage.setItem(keyOf(account), JSON.stringify(draft));
  } catch {
    // A browser that keeps nothing: the draft lasts as long as the page.
  }
}

export function dropDraft(account: string | undefined): void {
  try {
    localStorage.removeItem(keyOf(account));
  } catch {
    // Nothing was kept.
  }
}
