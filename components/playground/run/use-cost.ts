import { useMemo, useState } from "react";
import type { Run } from "@/lib/playground/run.ts";
import type { Preset } from "../request/preset.ts";
import type { RequestDraft } from "../request/request-draft.ts";
import { costOf, knownOffer, presetOffer } from "./run-cost.ts";
import type { KeptRun } from "./run-store.ts";

/** The maximum cost of the request, from the open run, earlier runs against the endpoint, or its preset. */
export function useCost(
  draft: RequestDraft,
  run: Run | null,
  kept: KeptRun[] | null,
  presets: readonly Preset[],
): string {
  const [openedAt] = useState(() => Date.now());
  return useMemo(() => {
    const runs = [...(run ? [run] : []), ...(kept ?? []).map((one) => one.run)];
    const preset = presetOffer(draft, presets);
    const known = knownOffer(draft, { runs, openedAt });
    // A run of this page knows the current balance best, or that it is unknown.
    return costOf(draft, known?.isFresh ? known : (preset ?? known));
  }, [draft, run, kept, presets, openedAt]);
}
