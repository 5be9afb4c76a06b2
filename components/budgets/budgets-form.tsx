"use client";

import type { Budgets } from "@turnpike/payments/protocol";
import { Fragment, useEffect, useState } from "react";
import type { Path } from "react-hook-form";
import { minorDigits } from "@/lib/console/minor-units.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { KEEP_TYPED, type OperationForm, useOperationForm } from "../forms/use-operation-form.ts";
import { UnsavedGuard } from "../shell/leave-guard.tsx";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/fields/checkbox.tsx";
import { Field } from "../ui/fields/field.tsx";
import { MoneyInput } from "../ui/fields/money-input.tsx";
import { TextAreaField, TextField } from "../ui/fields/text-field.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { type BudgetEdit, isEdited } from "./budget-edit.ts";
import { countsText } from "./budget-text.ts";
import { BUDGET_PERIODS, type BudgetValues, checkAmount, valuesOf } from "./read-budgets.ts";
import { ScopedLimits } from "./scoped-limits.tsx";

const LABELS = { call: "Per call", day: "Per day", week: "Per week", month: "Per month" } as const;

type Form = OperationForm<BudgetValues, BudgetValues>;
type BudgetsFormProps = {
  budgets: Budgets;
  saveBudgets: (edit: BudgetEdit) => Promise<ActionAnswer<Budgets>>;
};

/** Edits the limits, over everything and of one builder or agent, the list of who may be paid, and what waits for a person. */
export function BudgetsForm({ budgets, saveBudgets }: BudgetsFormProps) {
  const { currency } = budgets;
  const [saved, setSaved] = useState(() => valuesOf(budgets));
  const form = useOperationForm<BudgetValues, BudgetValues, Budgets>({
    defaultValues: saved,
    run: (values) => saveBudgets({ saved, values }),
    fieldOf,
    onDone: (now, sent) => {
      const { scoped } = structuredClone(form.getValues());
      show(valuesOf({ ...now, currency }));
      // Rows have no names: a list that was edited meanwhile stays whole.
      if (JSON.stringify(scoped) !== JSON.stringify(sent.scoped)) {
        form.setValue("scoped", scoped, { shouldDirty: true });
      }
      toast("Budgets saved");
    },
  });
  const show = (next: BudgetValues) => {
    setSaved(next);
    form.reset(next, KEEP_TYPED);
  };
  const now = JSON.stringify(valuesOf(budgets));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when others have changed them, never over an edit.
  useEffect(() => {
    if (now === JSON.stringify(saved) || isEdited({ saved, values: form.getValues() })) return;
    show(JSON.parse(now) as BudgetValues);
  }, [now]);
  const unit = currency.toUpperCase();
  const decimals = minorDigits(currency);
  return (
    <form onSubmit={form.submit} className="grid gap-6" noValidate>
      {form.formState.isDirty && <UnsavedGuard />}
      <Limits form={form} unit={unit} decimals={decimals} />
      <ScopedLimits form={form} unit={unit} decimals={decimals} labels={LABELS} />
      <Allowed form={form} />
      <Approvals form={form} unit={unit} decimals={decimals} />
      <FailureNotice
        title="The budgets were not saved"
        unknown="Save them again: you can repeat this safely."
        of={form}
      />
      <div>
        <Button type="submit" look="primary" isPending={form.isPending}>
          Save budgets
        </Button>
      </div>
    </form>
  );
}

type PartProps = { form: Form; unit: string; decimals: number };

function Limits({ form, unit, decimals }: PartProps) {
  const { errors } = form.formState;
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-2 font-medium">Limits</legend>
      <p className="text-ink-2 text-note">
        Limits reset daily, weekly (Monday) and monthly, in UTC. Leave a field empty for no limit.{" "}
        {countsText(unit)} Each payment counts as the next amount that can be entered.
      </p>
      <div className="grid grid-cols-2 gap-4 max-sm:gap-x-3">
        {BUDGET_PERIODS.map((period) => (
          <Fragment key={period}>
            <Field label={`${LABELS[period]} (${unit})`} error={errors.money?.[period]?.message}>
              <MoneyInput
                {...form.register(`money.${period}`, {
                  validate: (text) => checkAmount(text, decimals),
                })}
              />
            </Field>
            <TextField
              label={`${LABELS[period]} (credits)`}
              error={errors.credits?.[period]?.message}
              inputMode="numeric"
              {...form.register(`credits.${period}`, { validate: (text) => checkAmount(text, 0) })}
            />
          </Fragment>
        ))}
      </div>
    </fieldset>
  );
}

function Allowed({ form }: { form: Form }) {
  const { errors } = form.formState;
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-2 font-medium">Who can be paid</legend>
      <TextAreaField
        label="Builders"
        isOptional
        hint="One account address on each line. Empty lists allow everyone."
        error={errors.builders?.message}
        isMono
        {...form.register("builders")}
      />
      <TextAreaField
        label="Agents"
        isOptional
        hint="One agent ID on each line."
        error={errors.agents?.message}
        isMono
        {...form.register("agents")}
      />
    </fieldset>
  );
}

function Approvals({ form, unit, decimals }: PartProps) {
  const { errors } = form.formState;
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-2 font-medium">Require approval</legend>
      <p className="text-ink-2 text-note">
        Orders that you place yourself count as approved. Calls wait, even your own.
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Orders above" isOptional error={errors.above?.message}>
          <MoneyInput
            unit={unit}
            {...form.register("above", { validate: (text) => checkAmount(text, decimals) })}
          />
        </Field>
        <TextField
          label="Calls above (credits)"
          isOptional
          error={errors.aboveCredits?.message}
          inputMode="numeric"
          {...form.register("aboveCredits", { validate: (text) => checkAmount(text, 0) })}
        />
      </div>
      <Checkbox label="First payment to a builder" {...form.register("newBuilders")} />
      <fieldset className="grid grid-cols-2 gap-4 max-sm:gap-x-3">
        <legend className="mb-1.5 text-label">Outside these hours (UTC)</legend>
        <TextField
          label="From"
          isOptional
          error={errors.from?.message}
          placeholder="07:00"
          {...form.register("from")}
        />
        <TextField
          label="To"
          isOptional
          error={errors.to?.message}
          placeholder="20:00"
          {...form.register("to")}
        />
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Approval timeout (minutes)"
          isOptional
          hint="Default: 30. Requests expire if you don’t respond, or when their access token expires."
          error={errors.minutes?.message}
          inputMode="numeric"
          {...form.register("minutes")}
        />
      </div>
    </fieldset>
  );
}

/** The field of a path in the operation's input. */
function fieldOf(path: string): Path<BudgetValues> | undefined {
  const [, index, member] = /^limits\.(\d+)\.(\w+)$/.exec(path) ?? [];
  if (index !== undefined) {
    return `scoped.${Number(index)}.${member === "builder" || member === "agentId" ? "of" : "limit"}`;
  }
  if (path.startsWith("allow.agents")) return "agents";
  if (path.startsWith("allow")) return "builders";
  const name = path.replace(/^approval\.(outsideHours\.)?/, "");
  const names = ["above", "aboveCredits", "from", "to", "minutes"] as const;
  return names.find((known) => known === name);
}
