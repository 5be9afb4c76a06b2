import { cn } from "../ui/cn.ts";
import { initialsOf } from "./facts-text.ts";

const SIZES = {
  small: "size-10 rounded-control text-small",
  large: "size-14 rounded-card text-h3",
};

type InitialsProps = {
  name: string;
  size: keyof typeof SIZES;
  className?: string;
};

export function Initials({ name, size, className }: InitialsProps) {
  return (
    <span
      aria-hidden="true"
      className={cn(
        "grid shrink-0 place-items-center border border-line bg-sunken font-mono text-ink-2",
        SIZES[size],
        className,
      )}
    >
      {initialsOf(name)}
    </span>
  );
}
