import type { Subscription } from "@turnpike/payments/protocol";
import { groupDigits } from "../ui/values/money-text.ts";

/** What is left of a plan: `96 credits`, or that there is access. */
export function leftText({
  accessLimit,
  available,
  isActive,
}: Pick<Subscription, "accessLimit" | "available" | "isActive">): string {
  if (accessLimit === "time") return isActive ? "Access" : "No access";
  return `${groupDigits(available)} ${BigInt(available) === 1n ? "credit" : "credits"}`;
}

/** How long the credits last at the rate of the last thirty days, in days; `undefined` without a rate. */
export function daysLeft({
  available,
  creditsUsed30d,
}: Pick<Subscription, "available" | "creditsUsed30d">): bigint | undefined {
  const used = BigInt(creditsUsed30d);
  return used === 0n ? undefined : (BigInt(available) * 30n) / used;
}
