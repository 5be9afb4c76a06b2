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

/** Signs the platform up for Connect, or out of it. */
export const setConnect = (scope: Scope, isEnabled: boolean): void =>
  scope.work.put({ ...platformOf(scope), isOff: !isEnabled });

/** Leaves the platform bank accounts in these currencies alone. */
export const setSettlement = (scope: Scope, settlesIn: string[]): void =>
  scope.work.put({ ...platformOf(scope), settlesIn });

/** The currency in which a charge reaches the platform's balance. */
export function settledIn(scope: Scope, currency: string): string {
  const { settlesIn = [] } = platformOf(scope);
  const [first = currency] = settlesIn;
  return settlesIn.includes(currency) ? currency : first;
}

/** Search is not offered to merchants in India. */
export const setSearch = (scope: Scope, isOffered: boolean): void =>
  scope.work.put({ ...platformOf(scope), hasNoSearch: !isOffered });

/** How often the platform's own balance is paid out to its bank; daily at first, as at Stripe. */
export const setPayoutInterval = (scope: Scope, payoutInterval: string): void =>
  scope.work.put({ ...platformOf(scope), payoutInterval });

export function getBalanceSettings(scope: Scope) {
  const interval = platformOf(scope).payoutInterval ?? "daily";
  const payouts = { schedule: { interval }, statement_descriptor: null, status: "enabled" };
  return { object: "balance_settings", payments: { debit_negative_balances: false, payouts } };
}

/** The least that a payout may be, in minor units. */
export const setLeastPayout = (scope: Scope, leastPayout: number): void =>
  scope.work.put({ ...platformOf(scope), leastPayout });

/** How long the charges of now take to clear. */
export const setClearing = (scope: Scope, clearsAfterSecs: number): void =>
  scope.work.put({ ...platformOf(scope), clearsAfterSecs });

/** When a charge of now is available in the platform's balance. */
export const clearsAt = (scope: Scope): number =>
  scope.now + (platformOf(scope).clearsAfterSecs ?? 0);
