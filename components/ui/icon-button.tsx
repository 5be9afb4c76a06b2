import type { ComponentProps } from "react";
import { cn } from "./cn.ts";
import { Icon, type IconName } from "./icon.tsx";
import { LiveButton } from "./live-button.tsx";

export type IconButtonProps = Omit<ComponentProps<"button">, "children"> & {
  icon: IconName;
  /** What it does: its accessible name and its title. */
  label: string;
};

export function IconButton({ icon, label, className, ...props }: IconButtonProps) {
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
    </LiveButton>
  );
}
