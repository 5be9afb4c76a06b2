import type { AgentMarketFacts } from "@/lib/console/market-facts.ts";
import { pluralWord } from "@/lib/text/plural.ts";
import { callCosts, costText } from "../plans/describe-plan.ts";
import type { Market } from "../plans/market.ts";
import type { PlanTerms } from "../plans/plan-terms.ts";
import { groupDigits } from "../ui/values/money-text.ts";

type Offer = { planId: string; name: string; terms: PlanTerms };

export type EndpointPrice = {
  /** What one call costs: `0.01 USDC or 0.05 USD`. */
  price: string;
  /** The credits it uses; absent where none are counted. */
  credits?: string;
};

/**
 * The price of a call by the listed plans that an endpoint takes, the lowest in each currency. An endpoint that was not
 * checked may take any of them.
 */
export function endpointPrice(
  endpoint: string,
  plans: readonly Offer[],
  offers: AgentMarketFacts["offers"],
  market: Market,
): EndpointPrice {
  const taken = offers?.[endpoint];
  const taking = plans.filter(({ planId }) => taken?.includes(planId) ?? true);
  const counted = taking.filter(({ terms }) => terms.accessLimit !== "time");
  const timed = taking.find(({ terms }) => terms.accessLimit === "time");
  const prices = lowestPrices(counted, market);
  // A free trial ends; what the calls cost then is what a visitor asks.
  if (timed && prices.length === 0) return { price: `Included in ${timed.name}` };
  const credits = creditsRange(counted);
  // The check saw no listed plan: the route may be sold by the call.
  const price =
    prices.join(" or ") ||
    (counted.length > 0 && "Free") ||
    (taken ? "Stated in its 402" : "Not on sale");
  return { price, ...(credits && { credits }) };
}

/** Of paid plans, one for each unit; `from` where plans or calls differ. */
function lowestPrices(plans: readonly Offer[], market: Market): string[] {
  const costs = plans
    .map(({ terms }) => callCosts(terms, market))
    .filter(({ most }) => most.amount > 0n || !most.isExact);
  const units = new Map(costs.map((cost) => [cost.unit.symbol, costs.filter(sameUnit(cost))]));
  return [...units.values()].flatMap((same) => {
    const [lowest] = same.toSorted(byLeast);
    if (!lowest) return [];
    const isOne = same.every(
      ({ least, most }) =>
        least.amount === lowest.least.amount && most.amount === lowest.least.amount,
    );
    return `${isOne ? "" : "from "}${costText(lowest.least, lowest.unit)}`;
  });
}

type Cost = ReturnType<typeof callCosts>;

const sameUnit =
  ({ unit }: Cost) =>
  (other: Cost) =>
    other.unit.symbol === unit.symbol;
const byLeast = (one: Cost, other: Cost) => (one.least.amount < other.least.amount ? -1 : 1);

/** `1 credit`, `1 to 5 credits`. */
function creditsRange(plans: readonly Offer[]): string | undefined {
  const least = sorted(plans.map(({ terms }) => terms.credits.minAmount))[0];
  const most = sorted(plans.map(({ terms }) => terms.credits.maxAmount)).at(-1);
  if (least === undefined || most === undefined) return undefined;
  const range =
    least === most ? groupDigits(most) : `${groupDigits(least)} to ${groupDigits(most)}`;
  return `${range} ${pluralWord(most, "credit")}`;
}

const sorted = (amounts: bigint[]): bigint[] => amounts.toSorted((a, b) => (a < b ? -1 : 1));
