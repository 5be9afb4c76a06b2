"use client";

import { useMemo, useState } from "react";
import type { Run } from "@/lib/playground/run.ts";
import type { Preset } from "../request/preset.ts";
import type { RequestDraft } from "../request/request-draft.ts";
import { costOf, knownOffer, presetOffer } from "./run-cost.ts";
import type { KeptRun } from "./run-store.ts";

/** What the request may use at most, from what the open run and those kept learnt of its endpoint, or its preset knows. */
export function useCost(
  draft: RequestDraft,
  run: Run | null,
  kept: KeptRun[] | null,
  presets: readonly Preset[],
): string {
  const [openedAt] = useState(() => Date.now());
  return useMemo(() => {
    const runs = [...(run ? [run] : []), ...(kept ?? []).map((one) => one.run)];
    const told = presetOffer(draft, presets);
    const met = knownOffer(draft, { runs, openedAt });
    // A run of this page knows best what is left by now, or that nobody knows.
    return costOf(draft, met?.isFresh ? met : (told ?? met));
  }, [draft, run, kept, presets, openedAt]);
}
