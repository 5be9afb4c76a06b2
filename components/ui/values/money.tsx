import { cn } from "../cn.ts";
import { type Amount, moneyText } from "./money-text.ts";

export type MoneyProps = {
  /** In the currency's smallest unit: cents, or the token's. */
  amount: Amount;
  decimals: number;
  /** A code or a token's symbol: `USD`, `USDC`. */
  currency: string;
  /** Say the code even where a sign would do: several currencies stand on this screen. */
  withCode?: boolean;
  /** Free is said in a word. */
  isFreeSaid?: boolean;
  className?: string;
};

/** An amount of money, exact to its last digit. */
export function Money({ amount, decimals, currency, withCode, isFreeSaid, className }: MoneyProps) {
  const isFree = isFreeSaid && BigInt(amount) === 0n;
  return (
    <span className={cn("whitespace-nowrap tabular-nums", className)}>
      {isFree ? "Free" : moneyText(amount, decimals, currency, { withCode })}
    </span>
  );
}
