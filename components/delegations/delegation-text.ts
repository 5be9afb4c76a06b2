import type { DelegationSummary } from "@turnpike/payments/protocol";
import { paidIn } from "@/lib/console/paid-in.ts";
import { DAY_MS } from "@/lib/text/durations.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { absoluteTime, clockText, dateText } from "../ui/values/time-text.ts";

/** What a delegation is called, by its id where it has no name. */
export const nameOf = ({
  name,
  delegationId,
}: Pick<DelegationSummary, "name" | "delegationId">): string =>
  name || `Delegation ${shortenIdentifier(delegationId)}`;

/** The unit a delegation's limit is shown in: an account on chain pays stablecoins, not dollars. */
export const unitOf = ({
  provider,
  currency,
}: Pick<DelegationSummary, "provider" | "currency">): string =>
  paidIn(currency, { isFiat: provider === "card-processor" }).toUpperCase();

/** `today`, `tomorrow`, `28 Nov`; days of UTC. */
export function dayOf(at: string, now: Date): string {
  const end = new Date(at);
  const days = Math.floor(end.getTime() / DAY_MS) - Math.floor(now.getTime() / DAY_MS);
  if (days === 0) return "today";
  if (days === 1) return "tomorrow";
  const isThisYear = end.getUTCFullYear() === now.getUTCFullYear();
  const date = dateText(end);
  return isThisYear ? date.replace(/ \d{4}$/, "") : date;
}

/** `14:00`, in UTC. */
export const minuteOf = (at: string): string => clockText(new Date(at)).slice(0, 5);

/** `today at 14:00`, `tomorrow at 14:00`, `28 Nov at 09:00`; days of UTC. */
export const momentText = (at: string, now: Date): string => `${dayOf(at, now)} at ${minuteOf(at)}`;

/** The same in a sentence: `on 28 Nov at 09:00`. */
export const whenText = (at: string, now: Date): string =>
  momentText(at, now).replace(/^\d/, "on $&");

type Ending = Pick<DelegationSummary, "status" | "expiresAt" | "signBefore" | "revokedAt">;

/** When it expires, expired or was revoked: a delegation that no one signed in time was over then. */
export const endOf = ({ status, expiresAt, signBefore, revokedAt }: Ending): string =>
  (status === "Expired" && signBefore) || (status === "Revoked" && revokedAt) || expiresAt;

/** Whether time or a person ended it, so that nothing more can be spent. */
export const isStopped = ({ status }: Pick<DelegationSummary, "status">): boolean =>
  status === "Expired" || status === "Revoked";

/** When it expires, expired or was revoked, written as every time of expiry. */
export const endText = (delegation: Ending): string =>
  `${isStopped(delegation) ? delegation.status : "Expires"} ${absoluteTime(new Date(endOf(delegation)))}.`;

/** The first to expire first; then those that have expired or were revoked, newest first. */
export function byExpiry(a: DelegationSummary, b: DelegationSummary): number {
  const [first, second] = [isLive(a), isLive(b)];
  if (first !== second) return first ? -1 : 1;
  const order = Date.parse(endOf(a)) - Date.parse(endOf(b));
  return first ? order : -order;
}

/** Whether it can be charged, or can be once it is signed. */
export const isLive = ({ status }: Pick<DelegationSummary, "status">): boolean =>
  status === "Active" || status === "AwaitingSignature";

export const coversPlan = (
  { provider, status, planIds }: Pick<DelegationSummary, "provider" | "status" | "planIds">,
  plan: { planId: string; isCard: boolean },
): boolean =>
  provider === (plan.isCard ? "card-processor" : "erc4337") &&
  status === "Active" &&
  (planIds.length === 0 || planIds.includes(plan.planId));

/**
 * Whether it orders a plan again when the credits run out: one for the plan or under one of its tokens, signed or not, or
 * an active one for any plan that pays the same way. `price` is null where the plan can't be read.
 */
export const canTopUp = (
  delegation: Pick<
    DelegationSummary,
    "delegationId" | "provider" | "status" | "planIds" | "currency"
  >,
  { planId, price, tokens }: ToppedUp,
): boolean =>
  (isLive(delegation) &&
    (delegation.planIds.includes(planId) ||
      tokens.some(({ delegationId }) => delegationId === delegation.delegationId))) ||
  (price !== null &&
    delegation.currency === price.limitCurrency &&
    coversPlan(delegation, { planId, isCard: price.isCard }));

type ToppedUp = {
  planId: string;
  price: { isCard: boolean; limitCurrency: string } | null;
  tokens: readonly { delegationId: string }[];
};

/** The account that pays for a delegation on chain: `Account 0x4c1B…6441`. */
export const accountText = (account: string): string => `Account ${shortenIdentifier(account)}`;
