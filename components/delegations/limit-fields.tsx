"use client";

import { Button } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { MoneyInput } from "../ui/fields/money-input.tsx";
import { Select } from "../ui/fields/select.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import type { LimitDraft, LimitFaults } from "./read-limits.ts";

const DAY = 86_400;

/** Lengths that are offered, in seconds. */
export const LENGTHS = [
  { value: String(3_600), label: "1 hour" },
  { value: String(DAY), label: "1 day" },
  { value: String(7 * DAY), label: "7 days" },
  { value: String(30 * DAY), label: "30 days" },
  { value: String(90 * DAY), label: "90 days" },
  { value: String(365 * DAY), label: "365 days" },
];

const PRESETS = ["5.00", "20.00", "50.00"];

type LimitFieldsProps = {
  draft: LimitDraft;
  onDraftChange: (draft: LimitDraft) => void;
  faults: LimitFaults;
  /** The code the limit is in: `USD`. */
  currency: string;
  hasPresets?: boolean;
};

/** How much, how long and how often. */
export function LimitFields({
  draft,
  onDraftChange,
  faults,
  currency,
  hasPresets,
}: LimitFieldsProps) {
  const change = (part: Partial<LimitDraft>) => onDraftChange({ ...draft, ...part });
  const known = LENGTHS.some(({ value }) => value === String(draft.durationSecs));
  const lengths = known
    ? LENGTHS
    : [...LENGTHS, { value: String(draft.durationSecs), label: "As before" }];
  return (
    <div className="grid gap-3">
      <div className="grid gap-4 sm:grid-cols-3">
        <Field label="Limit" error={faults.limit}>
          <MoneyInput
            name="limit"
            unit={currency}
            value={draft.limit}
            onChange={(event) => change({ limit: event.target.value })}
          />
        </Field>
        <Field label="Length" error={faults.durationSecs}>
          <Select
            name="durationSecs"
            options={lengths}
            value={String(draft.durationSecs)}
            onValueChange={(secs) => change({ durationSecs: Number(secs) })}
          />
        </Field>
        <Field label="Most charges" isOptional error={faults.maxTransactions}>
          <TextInput
            name="maxTransactions"
            inputMode="numeric"
            autoComplete="off"
            placeholder="Any number"
            className="tabular-nums"
            value={draft.maxTransactions}
            onChange={(event) => change({ maxTransactions: event.target.value })}
          />
        </Field>
      </div>
      {hasPresets && (
        <div className="flex flex-wrap gap-1.5">
          {PRESETS.map((limit) => (
            <Button
              key={limit}
              size="small"
              aria-pressed={draft.limit === limit}
              onClick={() => change({ limit })}
              className="aria-pressed:border-accent aria-pressed:bg-tint-accent"
            >
              {limit} {currency}
            </Button>
          ))}
          <span aria-hidden="true" className="mx-1 w-px self-stretch bg-line" />
          {LENGTHS.slice(1, 4).map(({ value, label }) => (
            <Button
              key={value}
              size="small"
              aria-pressed={String(draft.durationSecs) === value}
              onClick={() => change({ durationSecs: Number(value) })}
              className="aria-pressed:border-accent aria-pressed:bg-tint-accent"
            >
              {label}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}
