import type { CustomerPlan } from "@/lib/console/business.ts";
import { leftText } from "../subscriptions/subscription-text.ts";

/** What a customer has left of a plan: `96 credits left`, or whether they have access. */
export const planLeft = (plan: CustomerPlan): string =>
  plan.accessLimit === "time" ? leftText(plan) : `${leftText(plan)} left`;
