import { totalOf } from "@turnpike/payments/protocol";
import type { Market } from "../market.ts";
import { type PlanTerms, unitOfPrice } from "../plan-terms.ts";

/** Whether a version stops renewals: subscribers agreed to a price and a time. */
export const stopsRenewals = (now: PlanTerms, next: PlanTerms, market: Market): boolean =>
  totalOf(now.price) !== totalOf(next.price) ||
  unitOfPrice(now.price, market).symbol !== unitOfPrice(next.price, market).symbol ||
  now.credits.durationSecs !== next.credits.durationSecs;
