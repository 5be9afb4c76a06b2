"use client";

import { cn } from "../../ui/cn.ts";
import { Icon } from "../../ui/icon.tsx";
import { LiveButton } from "../../ui/live-button.tsx";
import { readoutSentences } from "../describe-plan.ts";
import type { Market } from "../market.ts";
import { KIND_WORDS } from "../plan-words.ts";
import { payloadSoFar } from "./payload-of-draft.ts";
import { KINDS, type PlanDraft, type PlanKind } from "./plan-draft.ts";

const MEANINGS: Record<PlanKind, string> = {
  perCall: "Every call uses the same number of credits.",
  flexible: "Your agent decides how many credits a call uses, within limits you set.",
  timePass: "Unlimited calls for a set time.",
  trial: "Free. Each account can order it once.",
};

type KindStepProps = {
  draft: PlanDraft;
  usual: PlanDraft;
  market: Market;
  onChoose: (kind: PlanKind) => void;
};

/** Four ways to sell, each with its terms. Choosing one opens the price step. */
export function KindStep({ draft, usual, market, onChoose }: KindStepProps) {
  return (
    <ul className="grid gap-2">
      {KINDS.map((kind) => {
        const plan = payloadSoFar({ ...draft, kind }, market, usual);
        const sum = plan ? readoutSentences(plan.terms, market).join(" ") : "";
        const isChosen = kind === draft.kind;
        return (
          <li key={kind}>
            <LiveButton
              aria-current={isChosen || undefined}
              aria-labelledby={`kind-${kind}`}
              aria-describedby={`kind-${kind}-meaning`}
              onClick={() => onChoose(kind)}
              className={cn(
                "grid w-full grid-cols-[minmax(0,1fr)_16px] items-center gap-x-3 gap-y-0.5 rounded-card border border-line bg-surface p-3 text-start hover:border-line-control",
                isChosen && "border-accent bg-tint-accent",
              )}
            >
              <span id={`kind-${kind}`} className="font-medium">
                {KIND_WORDS[kind]}
              </span>
              <Icon name="right" className="row-span-2 size-4 text-ink-2" />
              <span id={`kind-${kind}-meaning`} className="text-note">
                {MEANINGS[kind]} <span className="text-ink-2 tabular-nums">{sum}</span>
              </span>
            </LiveButton>
          </li>
        );
      })}
    </ul>
  );
}
