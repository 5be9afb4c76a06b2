import { Controller, useFieldArray } from "react-hook-form";
import type { OperationForm } from "../forms/use-operation-form.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { MoneyInput } from "../ui/fields/money-input.tsx";
import { Select } from "../ui/fields/select.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { BUDGET_PERIODS, type BudgetValues, checkLimit, isScope } from "./read-budgets.ts";

type ScopedLimitsProps = {
  form: OperationForm<BudgetValues, BudgetValues>;
  unit: string;
  decimals: number;
  labels: Record<(typeof BUDGET_PERIODS)[number], string>;
};

export function ScopedLimits({ form, unit, decimals, labels }: ScopedLimitsProps) {
  const { control, register, watch, setValue, formState } = form;
  const { fields, append, remove } = useFieldArray({ control, name: "scoped" });
  const periods = BUDGET_PERIODS.map((value) => ({ value, label: labels[value] }));
  const units = [
    { value: "money", label: unit },
    { value: "credits", label: "credits" },
  ];
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-2 font-medium">Limits for one builder or agent</legend>
      {fields.map(({ id }, index) => {
        const errors = formState.errors.scoped?.[index];
        const of = watch(`scoped.${index}.unit`);
        return (
          <div key={id} className="grid gap-x-3 gap-y-4 rounded-card border border-line p-4">
            <Field
              label="Builder address or agent ID"
              error={errors?.of?.message}
              hint={
                fields.length > 1 && index === 0
                  ? "If several limits apply, the strictest counts."
                  : undefined
              }
            >
              <TextInput isMono {...register(`scoped.${index}.of`, { validate: isScope })} />
            </Field>
            <div className="flex flex-wrap items-start gap-3">
              <Field label="Period" className="w-32">
                <Controller
                  name={`scoped.${index}.period`}
                  control={control}
                  render={({ field }) => (
                    <Select options={periods} value={field.value} onValueChange={field.onChange} />
                  )}
                />
              </Field>
              <Field label="Limit" error={errors?.limit?.message} className="min-w-40 flex-1">
                <MoneyInput
                  units={units}
                  unitValue={of}
                  onUnitChange={(next) =>
                    setValue(`scoped.${index}.unit`, next === "money" ? "money" : "credits", {
                      shouldDirty: true,
                    })
                  }
                  {...register(`scoped.${index}.limit`, {
                    validate: (text, values) =>
                      checkLimit(text, values.scoped[index]?.unit === "money" ? decimals : 0),
                  })}
                />
              </Field>
              <Button className="mt-6.5" onClick={() => remove(index)}>
                Remove
              </Button>
            </div>
          </div>
        );
      })}
      <div>
        <Button onClick={() => append({ of: "", period: "week", unit: "money", limit: "" })}>
          Add limit
        </Button>
      </div>
    </fieldset>
  );
}
