import { MONEY_DECIMALS } from "@/lib/console/currency-decimals.ts";
import { currencyMoney } from "../ui/values/currency-money.ts";
import { readMoney } from "../ui/values/money-reading.ts";

export const CURRENCY = "usdc";

type WithdrawalAmount =
  | { amount: bigint; fault?: undefined }
  | { amount?: undefined; fault: string };

export function readWithdrawal(text: string, available: bigint, least: bigint): WithdrawalAmount {
  const reading = readMoney(text, MONEY_DECIMALS);
  if (!reading.isAmount) return reading;
  const { amount } = reading;
  if (amount === 0n) return { fault: "Withdraw more than 0." };
  if (amount < least)
    return { fault: `Withdraw at least ${currencyMoney(least.toString(), CURRENCY)}.` };
  if (amount <= available) return { amount };
  return { fault: `Only ${currencyMoney(available.toString(), CURRENCY)} is available.` };
}

/** What is sent and what will be available; a dash for each while there is no amount. */
export function withdrawalSums(amount: bigint | undefined, available: bigint) {
  if (amount === undefined) return { sent: "–", after: "–" };
  const text = (sum: bigint) => currencyMoney(sum.toString(), CURRENCY);
  return { sent: text(amount), after: text(available - amount) };
}
