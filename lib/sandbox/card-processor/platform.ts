import type { Scope } from "./scope.ts";
import type { ConnectRecord } from "./store.ts";

const PLATFORM = "platform";

/** How the platform's own account is set up. */
export const platformOf = ({ work }: Pick<Scope, "work">): ConnectRecord =>
  work.find("connect_record", PLATFORM) ?? {
    object: "connect_record",
    id: PLATFORM,
    account: null,
  };

/** The currency in which a charge reaches the platform's balance. */
export function settledIn(scope: Scope, currency: string): string {
  const { settlesIn = [] } = platformOf(scope);
  const [first = currency] = settlesIn;
  return settlesIn.includes(currency) ? currency : first;
}

/** The platform's own balance is paid out to its bank daily at first, as at Stripe. */
export function getBalanceSettings(scope: Scope) {
  const interval = platformOf(scope).payoutInterval ?? "daily";
  const payouts = { schedule: { interval }, statement_descriptor: null, status: "enabled" };
  return { object: "balance_settings", payments: { debit_negative_balances: false, payouts } };
}

/** When a charge made now is available in the platform's balance. */
export const clearsAt = (scope: Scope): number =>
  scope.now + (platformOf(scope).clearsAfterSecs ?? 0);
