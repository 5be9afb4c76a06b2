"use client";

import { LimitFields } from "./limit-fields.tsx";
import { LimitSentence } from "./limit-sentence.tsx";
import type { LimitDraft, LimitFaults, LimitReading } from "./read-limits.ts";

type TokenLimitsProps = {
  draft: LimitDraft;
  onDraftChange: (draft: LimitDraft) => void;
  faults: LimitFaults;
  reading: LimitReading;
  /** The code the limit is in: `USD`. */
  currency: string;
  /** What is charged: a card, an account. */
  backing: string;
  now: string;
};

/** What agents may spend with a token: the fields, and the sentence they come to. */
export function TokenLimits({ reading, backing, now, ...fields }: TokenLimitsProps) {
  return (
    <>
      <LimitFields {...fields} />
      <LimitSentence
        who="Agents using this token"
        backing={backing}
        limits={reading.faults ? undefined : reading.limits}
        currency={fields.currency}
        now={now}
      />
    </>
  );
}
