import { useFormContext, useFormState } from "react-hook-form";
import { DAY_SECS, HOUR_SECS, YEAR_SECS } from "@/lib/text/durations.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { MoneyInput } from "../ui/fields/money-input.tsx";
import { Select } from "../ui/fields/select.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import type { LimitDraft } from "./read-limits.ts";

/** The durations on offer, in seconds. */
export const DURATIONS = [
  { value: String(HOUR_SECS), label: "1 hour" },
  { value: String(DAY_SECS), label: "1 day" },
  { value: String(7 * DAY_SECS), label: "7 days" },
  { value: String(30 * DAY_SECS), label: "30 days" },
  { value: String(90 * DAY_SECS), label: "90 days" },
  { value: String(YEAR_SECS), label: "365 days" },
];

type LimitFieldsProps = {
  draft: LimitDraft;
  currency: string;
  hasPresets?: boolean;
};

/** How much may be spent, for how long and how often; part of a form whose values include a `LimitDraft`. */
export function LimitFields({ draft, currency, hasPresets }: LimitFieldsProps) {
  const { register, setValue } = useFormContext<LimitDraft>();
  const { errors } = useFormState<LimitDraft>();
  const known = DURATIONS.some(({ value }) => value === String(draft.durationSecs));
  const durations = known
    ? DURATIONS
    : [...DURATIONS, { value: String(draft.durationSecs), label: "Same as before" }];
  return (
    <div className="grid gap-3">
      <div className="grid gap-4 sm:grid-cols-[repeat(auto-fit,minmax(10.5rem,1fr))]">
        <Field label="Limit" error={errors.limit?.message}>
          <MoneyInput {...register("limit")} unit={currency} />
        </Field>
        <Field label="Duration" error={errors.durationSecs?.message}>
          <Select
            name="durationSecs"
            options={durations}
            value={String(draft.durationSecs)}
            onValueChange={(secs) => setValue("durationSecs", Number(secs))}
          />
        </Field>
        <Field label="Maximum charges" isOptional error={errors.maxTransactions?.message}>
          <TextInput
            {...register("maxTransactions")}
            inputMode="numeric"
            autoComplete="off"
            placeholder="Unlimited"
            className="tabular-nums"
          />
        </Field>
      </div>
      {hasPresets && <Presets draft={draft} currency={currency} />}
    </div>
  );
}

const PRESETS = ["5.00", "20.00", "50.00"];
const PRESSED = "aria-pressed:border-accent aria-pressed:bg-tint-accent";

function Presets({ draft, currency }: LimitFieldsProps) {
  const { setValue } = useFormContext<LimitDraft>();
  return (
    <div className="flex flex-wrap gap-1.5">
      {PRESETS.map((limit) => (
        <Button
          key={limit}
          size="small"
          aria-pressed={draft.limit === limit}
          onClick={() => setValue("limit", limit, { shouldValidate: true })}
          className={PRESSED}
        >
          {limit} {currency}
        </Button>
      ))}
      <span aria-hidden="true" className="mx-1 w-px self-stretch bg-line" />
      {DURATIONS.slice(1, 4).map(({ value, label }) => (
        <Button
          key={value}
          size="small"
          aria-pressed={String(draft.durationSecs) === value}
          onClick={() => setValue("durationSecs", Number(value))}
          className={PRESSED}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}
