import { type ReactNode, useId } from "react";
import { cn } from "../cn.ts";
import { LiveInput } from "./live-input.tsx";

export type RadioOption = {
  value: string;
  label: ReactNode;
  detail?: ReactNode;
  /** Shown at the end of its line: a price, a date. */
  aside?: ReactNode;
  /** Why it can't be chosen; shown instead of the detail. */
  reason?: ReactNode;
};

export type RadioGroupProps = {
  /** What is chosen. */
  label: string;
  options: RadioOption[];
  value: string | undefined;
  onValueChange: (value: string) => void;
  /** Lines, or a card for each. */
  look?: "lines" | "cards";
  name?: string;
  error?: ReactNode;
  className?: string;
};

/** One of a few options, each with its explanation. */
export function RadioGroup({ label, options, error, ...props }: RadioGroupProps) {
  const { value, onValueChange, look = "lines", className } = props;
  const id = useId();
  const name = props.name ?? id;
  const isCards = look === "cards";
  return (
    <fieldset
      data-fault={error ? "" : undefined}
      aria-describedby={error ? `${id}-error` : undefined}
      className={cn(
        "grid min-w-0 content-start",
        isCards ? "gap-2" : "gap-1.5 max-sm:gap-0",
        className,
      )}
    >
      <legend className="mb-1.5 text-label">{label}</legend>
      {options.map((option) => {
        const note = option.reason ?? option.detail;
        const noteId = `${id}-${option.value}`;
        return (
          <label
            key={option.value}
            className={cn(
              "grid cursor-pointer grid-cols-[16px_minmax(0,1fr)_auto] content-start items-start gap-x-2.5 gap-y-0.5 has-disabled:cursor-not-allowed has-disabled:text-ink-2 max-sm:grid-cols-[20px_minmax(0,1fr)_auto]",
              isCards
                ? "rounded-card border border-line bg-surface p-3 hover:border-line-control has-checked:border-accent has-checked:bg-tint-accent has-disabled:bg-sunken has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
                : "min-h-6 max-sm:min-h-(--hit) max-sm:py-2.5",
            )}
          >
            <LiveInput
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              disabled={option.reason !== undefined}
              aria-describedby={note ? noteId : undefined}
              onChange={() => onValueChange(option.value)}
              className={cn(
                "my-0.5 size-4 accent-accent max-sm:size-5",
                "not-checked:appearance-none not-checked:rounded-full not-checked:border not-checked:border-line-control not-checked:bg-surface not-checked:disabled:border-line not-checked:disabled:bg-sunken",
                isCards && "focus-visible:outline-none",
              )}
            />
            <span className={isCards ? "font-medium" : undefined}>{option.label}</span>
            {option.aside && <span className="tabular-nums">{option.aside}</span>}
            {note && (
              <span id={noteId} className="col-span-2 col-start-2 text-ink-2 text-note">
                {note}
              </span>
            )}
          </label>
        );
      })}
      {error && (
        <p id={`${id}-error`} className="text-note">
          {error}
        </p>
      )}
    </fieldset>
  );
}
