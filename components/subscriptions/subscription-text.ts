import type { Subscription } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";

/** What is left of a plan: `96 credits`, or whether there is access. */
export function leftText({
  accessLimit,
  available,
  isActive,
}: Pick<Subscription, "accessLimit" | "available" | "isActive">): string {
  if (accessLimit === "time") return isActive ? "Access" : "No access";
  return plural(BigInt(available), "credit");
}

/** Days the credits last at the rate of the last thirty days; `undefined` without any use. */
export function daysLeft({
  available,
  creditsUsed30d,
}: Pick<Subscription, "available" | "creditsUsed30d">): bigint | undefined {
  const used = BigInt(creditsUsed30d);
  return used === 0n ? undefined : (BigInt(available) * 30n) / used;
}
