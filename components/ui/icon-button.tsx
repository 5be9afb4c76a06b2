import type { ComponentProps } from "react";
import { cn } from "./cn.ts";
import { Icon, type IconName } from "./icon.tsx";
import { LiveButton } from "./live-button.tsx";

export type IconButtonProps = Omit<ComponentProps<"button">, "children"> & {
  icon: IconName;
  /** What it does: its accessible name and its title. */
  label: string;
  /** Shows a dot in the corner; say in `label` what needs attention. */
  hasDot?: boolean;
};

/** A button that is an icon, with an accessible name. */
export function IconButton({ icon, label, hasDot, className, ...props }: IconButtonProps) {
  return (
    <LiveButton
      title={label}
      aria-label={label}
      {...props}
      className={cn(
        "relative grid size-(--hit) shrink-0 place-items-center rounded-control text-ink-2 hover:bg-sunken hover:text-ink",
        "aria-disabled:cursor-not-allowed aria-disabled:opacity-50",
        className,
      )}
    >
      <Icon name={icon} />
      {hasDot && (
        <span className="absolute end-[calc(50%-11px)] top-[calc(50%-11px)] box-content size-1.75 rounded-full border-[1.5px] border-bg bg-unsettled" />
      )}
    </LiveButton>
  );
}
