import { useFormContext, useFormState } from "react-hook-form";
import { minorDigits } from "@/lib/console/minor-units.ts";
import { DAY_SECS, HOUR_SECS, YEAR_SECS } from "@/lib/text/durations.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { MoneyInput } from "../ui/fields/money-input.tsx";
import { Select } from "../ui/fields/select.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { typedAmount } from "../ui/values/money-text.ts";
import { type LimitDraft, USUAL_LIMITS } from "./read-limits.ts";

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
    <div className="grid gap-4 sm:grid-cols-[repeat(auto-fit,minmax(10.5rem,1fr))]">
      <div className="grid content-start gap-2">
        <Field
          label="Limit"
          error={errors.limit?.message}
          hint={currency === "USDC" ? "Each payment counts as the next whole cent." : undefined}
        >
          <MoneyInput {...register("limit")} unit={currency} />
        </Field>
        {hasPresets && (
          <Presets
            presets={USUAL_LIMITS.map((cents) => {
              const value = typedAmount(cents, minorDigits(currency));
              return { value, label: value };
            })}
            value={draft.limit}
            onChoose={(limit) => setValue("limit", limit, { shouldValidate: true })}
          />
        )}
      </div>
      <div className="grid content-start gap-2">
        <Field label="Duration" error={errors.durationSecs?.message}>
          <Select
            name="durationSecs"
            options={durations}
            value={String(draft.durationSecs)}
            onValueChange={(secs) => setValue("durationSecs", Number(secs))}
          />
        </Field>
        {hasPresets && (
          <Presets
            presets={DURATIONS.slice(1, 4)}
            value={String(draft.durationSecs)}
            onChoose={(secs) => setValue("durationSecs", Number(secs))}
          />
        )}
      </div>
      <Field label="Maximum charges" isOptional error={errors.maxTransactions?.message}>
        <TextInput
          {...register("maxTransactions")}
          inputMode="numeric"
          placeholder="Unlimited"
          className="tabular-nums"
        />
      </Field>
    </div>
  );
}

const PRESSED = "aria-pressed:border-accent aria-pressed:bg-tint-accent";

type PresetsProps = {
  presets: { value: string; label: string }[];
  value: string;
  onChoose: (value: string) => void;
};

function Presets({ presets, value: chosen, onChoose }: PresetsProps) {
  return (
    <div className="flex flex-wrap gap-1.5">
      {presets.map(({ value, label }) => (
        <Button
          key={value}
          size="small"
          aria-pressed={chosen === value}
          onClick={() => onChoose(value)}
          className={PRESSED}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}
