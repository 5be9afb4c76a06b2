import { type PlanDraft, restoreDraft } from "./plan-draft.ts";

/** Drafts are kept in this browser only, one per account. */
const keyOf = (account: string | undefined) => `turnpike.plan-draft.${account ?? "visitor"}`;

/** The kept draft, or the fresh one. */
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
    // Without storage the draft lasts as long as the page.
  }
}

export function dropDraft(account: string | undefined): void {
  try {
    localStorage.removeItem(keyOf(account));
  } catch {
    // Nothing was kept.
  }
}
