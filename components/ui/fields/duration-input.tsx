import { useState } from "react";
import { DAY_SECS } from "@/lib/text/durations.ts";
import {
  DURATION_NAMES,
  DURATION_UNITS,
  type DurationUnit,
  readDuration,
  splitDuration,
} from "./duration-text.ts";
import { Joined, UnitSelect } from "./money-input.tsx";
import { TextInput } from "./text-input.tsx";

const NEVER = "never";

export type DurationInputProps = {
  /** Whole seconds; 0 never expires; `undefined` while the value is invalid. */
  durationSecs: number | undefined;
  onDurationChange: (durationSecs: number | undefined, fault?: string) => void;
  onBlur?: () => void;
  /** Offers "Never expires", which is 0 seconds. */
  mayBeNever?: boolean;
};

/** A duration as a number and a unit. A month is 30 days, a year 365. */
export function DurationInput({
  durationSecs,
  onDurationChange,
  onBlur,
  mayBeNever,
}: DurationInputProps) {
  const opened = splitDuration(durationSecs || DAY_SECS);
  const [count, setCount] = useState(opened.count);
  const [unit, setUnit] = useState<string>(durationSecs === 0 ? NEVER : opened.unit);
  const isNever = unit === NEVER;

  const change = (nextCount: string, nextUnit: string) => {
    setCount(nextCount);
    setUnit(nextUnit);
    if (nextUnit === NEVER) return onDurationChange(0);
    const reading = readDuration(nextCount, nextUnit as DurationUnit);
    if (reading.isDuration) onDurationChange(reading.durationSecs);
    else onDurationChange(undefined, reading.fault);
  };

  const options = DURATION_NAMES.map((name) => ({
    value: name,
    label: count === "1" ? DURATION_UNITS[name].one : DURATION_UNITS[name].many,
  }));
  return (
    <Joined>
      <TextInput
        inputMode="numeric"
        value={isNever ? "" : count}
        disabled={isNever}
        onBlur={onBlur}
        onChange={(event) => change(event.target.value, unit)}
        className="relative tabular-nums"
      />
      <UnitSelect
        label="Unit of time"
        options={mayBeNever ? [...options, { value: NEVER, label: "Never expires" }] : options}
        value={unit}
        onValueChange={(next) => change(count, next)}
      />
    </Joined>
  );
}
