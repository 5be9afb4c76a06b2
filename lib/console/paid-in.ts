/** The stablecoin that counts at par against limits in a currency. */
const STABLECOINS: Record<string, string> = { usd: "usdc", eur: "eurc" };

/**
 * What an amount counted in `currency` is really paid in, in lower case: on chain the stablecoin, which no sum may
 * mix with the currency itself. `paidIn("usd", { isFiat: false })` is `usdc`.
 */
export const paidIn = (currency: string, { isFiat }: { isFiat: boolean }): string =>
  isFiat ? currency : (STABLECOINS[currency.toLowerCase()] ?? currency);

/** What an account's budgets in `currency` count together: `USD/USDC`, or the currency where it has no stablecoin. */
export function countedIn(currency: string): string {
  const stablecoin = STABLECOINS[currency.toLowerCase()];
  return stablecoin ? `${currency}/${stablecoin}`.toUpperCase() : currency;
}
