"use client";

import { useState } from "react";
import { type LimitDraft, type LimitFaults, type Limits, readLimits } from "./read-limits.ts";

/** The limits of a delegation while they are typed. `leastCents` is what the first order takes. */
export function useLimits(first: LimitDraft, leastCents?: bigint) {
  const [draft, setDraft] = useState(first);
  const [faults, setFaults] = useState<LimitFaults>({});
  const reading = readLimits(draft, leastCents);
  return {
    reading,
    fields: {
      draft,
      faults,
      onDraftChange(next: LimitDraft) {
        setDraft(next);
        setFaults({});
      },
    },
    /** The limits; none when a field is wrong: each says so until the next key, and the first has the focus. */
    ask(): Limits | undefined {
      setFaults(reading.faults ?? {});
      if (!reading.faults) return reading.limits;
      const [wrong = ""] = Object.keys(reading.faults);
      focusField(wrong);
      return undefined;
    },
  };
}

export type TypedLimits = ReturnType<typeof useLimits>;

/** Gives the focus to the field of this name. */
export function focusField(name: string): void {
  document.querySelector<HTMLElement>(`[name="${name}"]`)?.focus();
}
