import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "../cn.ts";
import { LiveInput } from "./live-input.tsx";

export type CheckboxProps = Omit<ComponentProps<"input">, "type" | "children"> & {
  label: ReactNode;
  /** One line under the label. */
  hint?: ReactNode;
  error?: ReactNode;
};

/** A yes-or-no value of a form; takes `{...register("name")}`. For what acts immediately use a `Switch`. */
export function Checkbox({ label, hint, error, className, ...props }: CheckboxProps) {
  const id = useId();
  const notes = error ?? hint;
  return (
    <div className={className}>
      <label className="flex min-h-6 cursor-pointer items-start gap-2 has-disabled:cursor-not-allowed has-disabled:text-ink-2 max-sm:min-h-(--hit) max-sm:items-center">
        <LiveInput
          {...props}
          type="checkbox"
          aria-describedby={notes ? id : undefined}
          aria-invalid={error ? true : undefined}
          // Unchecked, a browser's own box is grey in dark themes, like a disabled one.
          className="my-0.5 size-4 shrink-0 accent-accent not-checked:appearance-none not-checked:rounded-tag not-checked:border not-checked:border-line-control not-checked:bg-surface not-checked:disabled:border-line not-checked:disabled:bg-sunken max-sm:size-5"
        />
        <span>{label}</span>
      </label>
      {notes && (
        <p id={id} className={cn("ms-6 text-ink-2 text-note max-sm:ms-7", error && "text-ink")}>
          {notes}
        </p>
      )}
    </div>
  );
}
