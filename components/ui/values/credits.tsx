import { pluralWord } from "@/lib/text/plural.ts";
import { type Amount, groupDigits } from "./money-text.ts";

export type CreditsProps = {
  credits: Amount;
  /** Adds `credit` or `credits` after the number. */
  withUnit?: boolean;
};

export function Credits({ credits, withUnit }: CreditsProps) {
  return (
    <span className="whitespace-nowrap tabular-nums">
      {groupDigits(credits)}
      {withUnit && ` ${pluralWord(BigInt(credits), "credit")}`}
    </span>
  );
}
