import type { ComponentProps, ReactNode } from "react";
import { cn } from "../cn.ts";
import { LiveInput } from "./live-input.tsx";

export type SwitchProps = Omit<ComponentProps<"input">, "type" | "role" | "children"> & {
  label: ReactNode;
  /** Hides the label where the page already shows it. */
  isLabelHidden?: boolean;
};

/** Turns something on or off immediately. */
export function Switch({ label, isLabelHidden, className, ...props }: SwitchProps) {
  return (
    <label
      className={cn(
        "inline-flex min-h-6 cursor-pointer items-center gap-2 has-disabled:cursor-not-allowed has-disabled:text-ink-2 max-sm:min-h-(--hit)",
        className,
      )}
    >
      <LiveInput
        {...props}
        type="checkbox"
        role="switch"
        className={cn(
          "relative m-0 h-4.5 w-7.5 shrink-0 cursor-pointer appearance-none rounded-full border border-line-control bg-surface focus-visible:rounded-full",
          "before:absolute before:start-0.5 before:top-0.5 before:size-3 before:rounded-full before:bg-ink-2 before:transition-transform before:duration-120 before:ease-out",
          "checked:border-transparent checked:bg-accent checked:before:translate-x-3 checked:before:bg-on-accent rtl:checked:before:-translate-x-3",
          "disabled:cursor-not-allowed disabled:border-line disabled:bg-sunken disabled:before:bg-line-control",
          "forced-colors:before:bg-[ButtonText] forced-colors:checked:bg-[Highlight] forced-colors:checked:before:bg-[HighlightText]",
        )}
      />
      <span className={isLabelHidden ? "sr-only" : undefined}>{label}</span>
    </label>
  );
}
