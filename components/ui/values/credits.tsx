import { pluralWord } from "@/lib/text/plural.ts";
import { cn } from "../cn.ts";
import { type Amount, groupDigits } from "./money-text.ts";

export type CreditsProps = {
  credits: Amount;
  /** Adds `credit` or `credits` after the number. */
  withUnit?: boolean;
  className?: string;
};

/** A number of credits, with grouped digits. */
export function Credits({ credits, withUnit, className }: CreditsProps) {
  return (
    <span className={cn("whitespace-nowrap tabular-nums", className)}>
      {groupDigits(credits)}
      {withUnit && ` ${pluralWord(BigInt(credits), "credit")}`}
    </span>
  );
}
