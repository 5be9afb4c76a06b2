import { pluralWord } from "@/lib/text/plural.ts";
import { cn } from "../cn.ts";
import { type Amount, groupDigits } from "./money-text.ts";

export type CreditsProps = {
  credits: Amount;
  /** The balance before: `97 → 96`. */
  before?: Amount;
  /** Adds `credit` or `credits` after the number. */
  withUnit?: boolean;
  className?: string;
};

/** A number of credits, with grouped digits. */
export function Credits({ credits, before, withUnit, className }: CreditsProps) {
  return (
    <span className={cn("whitespace-nowrap tabular-nums", className)}>
      {before !== undefined && (
        <span className="text-ink-2">
          {groupDigits(before)} <span aria-hidden="true">→</span>
          <span className="sr-only">before, now</span>{" "}
        </span>
      )}
      {groupDigits(credits)}
      {withUnit && ` ${pluralWord(BigInt(credits), "credit")}`}
    </span>
  );
}
