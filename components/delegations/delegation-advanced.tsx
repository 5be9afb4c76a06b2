import { useFormContext } from "react-hook-form";
import { Checkbox } from "../ui/fields/checkbox.tsx";
import { Field } from "../ui/fields/field.tsx";
import { Select } from "../ui/fields/select.tsx";
import {
  ACCOUNT,
  type BindablePlan,
  type DelegationValues,
  fittingPlans,
  planName,
  shownUnit,
  simulatedPlans,
} from "./delegation-values.ts";
import type { Limits } from "./read-limits.ts";
import { SpendSimulator } from "./spend-simulator.tsx";

const CURRENCIES = ["usd", "eur", "gbp"];

type DelegationAdvancedProps = {
  values: DelegationValues;
  /** Absent while a field cannot be read. */
  limits: Limits | undefined;
  plans: BindablePlan[];
  now: string;
};

/** What most delegations leave as it is: the currency, the plans, and how long the limits would last. */
export function DelegationAdvanced({ values, limits, plans, now }: DelegationAdvancedProps) {
  const { setValue, formState } = useFormContext<DelegationValues>();
  const { backing } = values;
  const fitting = fittingPlans(plans, backing);
  const { defaultValues, errors } = formState;
  // Open where the page named plans, and where a fault is.
  const isOpen = Boolean(defaultValues?.planIds?.length || errors.planIds || errors.currency);
  return (
    <>
      <details open={isOpen || undefined}>
        <summary className="min-h-6 cursor-pointer text-label">Advanced</summary>
        <div className="mt-3 grid gap-4">
          {backing !== ACCOUNT && (
            <Field
              label="Currency"
              hint="Must match the currency of the plans."
              error={errors.currency?.message}
            >
              <Select
                value={values.currency}
                onValueChange={(currency) => setValue("currency", currency)}
                options={currenciesOf(plans, values).map((value) => ({
                  value,
                  label: value.toUpperCase(),
                }))}
              />
            </Field>
          )}
          <PlanFields values={values} plans={plans} />
        </div>
      </details>
      <details>
        <summary className="min-h-6 cursor-pointer text-label">How long will this last?</summary>
        <div className="mt-3">
          {limits ? (
            <SpendSimulator
              key={String(backing === ACCOUNT)}
              plans={simulatedPlans(fitting)}
              currency={shownUnit(values)}
              now={now}
              limits={{
                leftCents: BigInt(limits.spendingLimitCents),
                chargesLeft:
                  limits.maxTransactions === undefined ? null : BigInt(limits.maxTransactions),
                leftSecs: limits.durationSecs,
              }}
            />
          ) : (
            <p className="text-ink-2">Fix the limits first.</p>
          )}
        </div>
      </details>
    </>
  );
}

const currenciesOf = (plans: BindablePlan[], { currency }: DelegationValues) => [
  ...new Set([
    ...CURRENCIES,
    ...plans.filter(({ isCard }) => isCard).map((plan) => plan.currency),
    currency,
  ]),
];

/** The plans that are paid this way, and those that are selected, so that they can be deselected. */
function PlanFields({ values, plans }: { values: DelegationValues; plans: BindablePlan[] }) {
  const { setValue, formState } = useFormContext<DelegationValues>();
  const { planIds } = values;
  const fitting = fittingPlans(plans, values.backing).map(({ planId }) => planId);
  const shown = [...new Set([...fitting, ...values.planIds])];
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 text-label">Restrict to plans</legend>
      {shown.map((planId) => (
        <Checkbox
          key={planId}
          label={planName(plans, planId)}
          checked={planIds.includes(planId)}
          onChange={({ target }) =>
            setValue(
              "planIds",
              target.checked ? [...planIds, planId] : planIds.filter((id) => id !== planId),
            )
          }
        />
      ))}
      {planIds.length === 0 && (
        <p className="text-ink-2 text-note">
          {shown.length === 0
            ? "None of your plans is paid this way. The delegation covers any plan."
            : "None selected: the delegation covers any plan."}
        </p>
      )}
      {formState.errors.planIds?.message && (
        <p className="text-note text-refused" role="alert">
          {formState.errors.planIds.message}
        </p>
      )}
    </fieldset>
  );
}
