import type { ReactNode } from "react";
import { LimitFields } from "./limit-fields.tsx";
import { LimitSentence } from "./limit-sentence.tsx";
import { type LimitDraft, readLimits, readTokenLimits, type TokenPrice } from "./read-limits.ts";

type TokenLimitsProps = {
  draft: LimitDraft;
  minCents: bigint;
  currency: string;
  /** What the first order costs in a token without a par value, in place of `minCents` and `currency`. */
  token?: TokenPrice | null;
  backing: string;
  now: string;
  /** Who spends: "Agents using this token". */
  who: string;
  children?: ReactNode;
};

/** What agents may spend on orders: the fields, and the same as a sentence. */
export function TokenLimits({
  draft,
  minCents,
  currency,
  token,
  backing,
  now,
  who,
  children,
}: TokenLimitsProps) {
  const reading = token ? readTokenLimits(draft, token) : readLimits(draft, currency, minCents);
  return (
    <>
      <LimitFields draft={draft} currency={token?.currency ?? currency} />
      <LimitSentence
        who={who}
        backing={backing}
        limits={reading.faults ? undefined : reading.limits}
        currency={currency}
        token={token}
        now={now}
      >
        {children}
      </LimitSentence>
    </>
  );
}
