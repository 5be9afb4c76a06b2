import { Combobox } from "../ui/fields/combobox.tsx";
import type { PlanChoice } from "./agent-types.ts";

type PlanComboboxProps = {
  label: string;
  plans: readonly PlanChoice[];
  isDisabled?: boolean;
  onChoose: (plan: PlanChoice) => void;
};

/** Adds one of the account's plans, found by its name, price or ID. */
export function PlanCombobox({ label, plans, isDisabled = false, onChoose }: PlanComboboxProps) {
  return (
    <Combobox
      label={label}
      placeholder={label}
      className="w-72 max-w-full"
      isDisabled={isDisabled}
      value={undefined}
      options={plans.map(({ planId, name, price, isDraft }) => ({
        value: planId,
        label: name,
        note: isDraft ? `${price}, draft` : price,
        keywords: [planId, price],
      }))}
      onValueChange={(planId) => {
        const plan = plans.find((one) => one.planId === planId);
        if (plan) onChoose(plan);
      }}
    />
  );
}
