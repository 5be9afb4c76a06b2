import { useCallback, useEffect, useRef } from "react";
import { keptDraft, restoredDraft } from "./opening-draft.ts";
import type { RequestDraft } from "./request-draft.ts";

const KEY = "turnpike.playground-draft";

type Options = {
  account: string | null;
  draft: RequestDraft;
  /** The request that the page opened with. */
  filled: Partial<RequestDraft>;
  onRestore: (change: Partial<RequestDraft>) => void;
};

/**
 * Keeps what a visitor types while they sign in, in this tab only, and fills it in when they are back. The returned
 * function fills it in again, over a run that was opened meanwhile.
 */
export function useVisitorDraft({ account, draft, filled, onRestore }: Options): () => void {
  const restored = useRef<Partial<RequestDraft> | null>(null);
  const latest = useRef({ filled, onRestore });
  latest.current = { filled, onRestore };
  const restore = useCallback(() => {
    if (restored.current) latest.current.onRestore(restored.current);
  }, []);
  useEffect(() => {
    if (account === null) storage((kept) => kept.setItem(KEY, JSON.stringify(keptDraft(draft))));
  }, [account, draft]);
  useEffect(() => {
    if (account === null) return;
    storage((kept) => {
      restored.current ??= restoredDraft(kept.getItem(KEY), latest.current.filled);
      kept.removeItem(KEY);
    });
    restore();
  }, [account, restore]);
  return restore;
}

/** Where a browser keeps nothing, only the method and the URL come back. */
function storage(use: (kept: Storage) => void): void {
  try {
    use(sessionStorage);
  } catch {
    // A draft that is not kept is typed again.
  }
}
