import { cn } from "../cn.ts";
import { type Amount, moneyText } from "./money-text.ts";

export type MoneyProps = {
  /** In the currency's or token's smallest unit. */
  amount: Amount;
  decimals: number;
  /** A code or a token's symbol: `USD`, `USDC`. */
  currency: string;
  /** Shows the code instead of the sign, where several currencies are on the page. */
  withCode?: boolean;
  /** Shows zero as "Free". */
  isFreeSaid?: boolean;
  className?: string;
};

/** An exact amount of money. */
export function Money({ amount, decimals, currency, withCode, isFreeSaid, className }: MoneyProps) {
  const isFree = isFreeSaid && BigInt(amount) === 0n;
  return (
    <span className={cn("whitespace-nowrap tabular-nums", className)}>
      {isFree ? "Free" : moneyText(amount, decimals, currency, { withCode })}
    </span>
  );
}
