import { LimitFields } from "./limit-fields.tsx";
import { LimitSentence } from "./limit-sentence.tsx";
import { type LimitDraft, readLimits } from "./read-limits.ts";

type TokenLimitsProps = {
  draft: LimitDraft;
  /** What the first order costs. */
  minCents: bigint;
  currency: string;
  backing: string;
  now: string;
};

/** What agents may spend with a token: the fields, and the same as a sentence. */
export function TokenLimits({ draft, minCents, currency, backing, now }: TokenLimitsProps) {
  const reading = readLimits(draft, minCents);
  return (
    <>
      <LimitFields draft={draft} currency={currency} />
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
