"use client";

import { LimitFields } from "./limit-fields.tsx";
import { LimitSentence } from "./limit-sentence.tsx";
import type { TypedLimits } from "./use-limits.ts";

type TokenLimitsProps = {
  typed: TypedLimits;
  /** The code the limit is in: `USD`. */
  currency: string;
  /** What is charged: a card, an account. */
  backing: string;
  now: string;
};

/** What agents may spend with a token: the fields, and the sentence they come to. */
export function TokenLimits({ typed, currency, backing, now }: TokenLimitsProps) {
  const { fields, reading } = typed;
  return (
    <>
      <LimitFields {...fields} currency={currency} />
      <LimitSentence
        who="Agents using this token"
        backing={backing}
        limits={reading.faults ? undefined : reading.limits}
        currency={currency}
        now={now}
      />
    </>
  );
}
