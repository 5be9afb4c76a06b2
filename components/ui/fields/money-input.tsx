import type { ComponentProps, ReactNode } from "react";
import { cn } from "../cn.ts";
import { FieldContext } from "./field-context.ts";
import { Select } from "./select.tsx";
import type { SelectOption } from "./select-list.tsx";
import { TextInput } from "./text-input.tsx";

/** A control and its companion in one frame. */
export function Joined({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-w-0 *:focus-visible:z-1 *:not-first:-ms-px *:not-first:rounded-s-none *:not-last:rounded-e-none">
      {children}
    </div>
  );
}

function Unit({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex shrink-0 items-center whitespace-nowrap rounded-control border border-line-control bg-sunken px-3 text-ink-2 text-label">
      {children}
    </span>
  );
}

export type MoneyInputProps = Omit<ComponentProps<"input">, "type"> & {
  /** The currency, when there is only one. */
  unit?: string;
  units?: SelectOption[];
  unitValue?: string;
  onUnitChange?: (unit: string) => void;
};

/**
 * An amount as text, not as a number: parse it with `readMoney`, and give its `Field`
 * `echo={echoMoney(text, decimals)}`. Takes `{...register("amount")}`.
 */
export function MoneyInput({ unit, units, unitValue, onUnitChange, ...props }: MoneyInputProps) {
  return (
    <Joined>
      <TextInput
        inputMode="decimal"
        placeholder="0.00"
        {...props}
        className={cn("relative tabular-nums", props.className)}
      />
      {units && onUnitChange ? (
        <UnitSelect
          label="Currency"
          options={units}
          value={unitValue}
          onValueChange={onUnitChange}
        />
      ) : (
        unit && <Unit>{unit}</Unit>
      )}
    </Joined>
  );
}

type UnitSelectProps = {
  label: string;
  options: SelectOption[];
  value: string | undefined;
  onValueChange: (value: string) => void;
};

/** The second half of a joined control: a select with its own name and id. */
export function UnitSelect(props: UnitSelectProps) {
  return (
    <FieldContext value={undefined}>
      <Select {...props} className="relative w-auto shrink-0" />
    </FieldContext>
  );
}
