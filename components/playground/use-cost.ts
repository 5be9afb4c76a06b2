"use client";

import { useMemo, useState } from "react";
import type { Run } from "@/lib/playground/run.ts";
import type { RequestDraft } from "./request-draft.ts";
import { costOf, knownOffer } from "./run-cost.ts";
import type { KeptRun } from "./run-store.ts";

/** What the request may use at most, from what the open run and those kept learnt of its endpoint. */
export function useCost(draft: RequestDraft, run: Run | null, kept: KeptRun[] | null): string {
  const [openedAt] = useState(() => Date.now());
  return useMemo(() => {
    const runs = [...(run ? [run] : []), ...(kept ?? []).map((one) => one.run)];
    return costOf(draft, knownOffer(draft, { runs, openedAt }));
  }, [draft, run, kept, openedAt]);
}
