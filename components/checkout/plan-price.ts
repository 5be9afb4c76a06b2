import { type OrderSummary, type Plan, totalOf } from "@turnpike/payments/protocol";
import { isNative, MONEY_DECIMALS, NATIVE } from "@/lib/console/currency-decimals.ts";
import { toMinorUnits } from "@/lib/console/minor-units.ts";
import { paidIn } from "@/lib/console/paid-in.ts";
import { plural } from "@/lib/text/plural.ts";
import { callCostWords } from "../plans/describe-plan.ts";
import { durationWords } from "../ui/fields/duration-text.ts";
import { groupDigits, moneyText } from "../ui/values/money-text.ts";

const UNKNOWN = "smallest units";
const CARD_SCHEME = "svc:card-delegation";

/** A plan's price with the unit it is shown in. An unknown token has no decimals and no cents. */
export type PlanPrice = {
  total: bigint;
  decimals: number;
  currency: string;
  isFree: boolean;
  isCard: boolean;
  tokenAddress: string;
  /** What an order counts against a delegation's limit, in minor units; `null` for tokens without a par value. */
  cents: bigint | null;
  /** The currency of such a delegation, as the service writes it. */
  limitCurrency: string;
};

/** Reads the price of a plan. `usdc` is the stable token of this deployment. */
export function priceOf({ registry }: Pick<Plan, "registry">, usdc?: string): PlanPrice {
  const { price } = registry;
  const total = totalOf({ amounts: price.amounts.map(BigInt) });
  const isCard = !price.isCrypto;
  const isUsdc = price.tokenAddress.toLowerCase() === usdc?.toLowerCase();
  const cardCurrency = price.currency ?? "USD";
  const limitCurrency = isCard ? cardCurrency.toLowerCase() : "usd";
  // On chain the token decides: the currency of such a price is a name that its builder gave it.
  const unit =
    isCard || isUsdc
      ? { currency: isCard ? cardCurrency : "USDC", decimals: MONEY_DECIMALS }
      : unitOfToken(price.tokenAddress);
  return {
    ...unit,
    total,
    isFree: total === 0n,
    isCard,
    tokenAddress: price.tokenAddress,
    cents: isCard || isUsdc ? toMinorUnits(total, limitCurrency) : null,
    limitCurrency,
  };
}

/** The unit of a token without a par value. */
export const unitOfToken = (tokenAddress: string): Pick<PlanPrice, "currency" | "decimals"> =>
  isNative(tokenAddress)
    ? { currency: NATIVE.code, decimals: NATIVE.decimals }
    : { currency: UNKNOWN, decimals: 0 };

type Ordered = Pick<OrderSummary, "price" | "creditsGranted" | "scheme">;

/** A plan's terms as an order bought them: the plan may cost and grant something else by now. */
export function orderedTerms<P extends Pick<Plan, "registry">>(
  plan: P,
  { price, creditsGranted, scheme }: Ordered,
  usdc?: string,
): { plan: P; price: PlanPrice } {
  const { registry } = plan;
  const { currency, amount, decimals } = price;
  const total = BigInt(amount);
  const isCard = scheme === CARD_SCHEME;
  const isToken = currency.startsWith("0x");
  return {
    plan: {
      ...plan,
      registry: { ...registry, credits: { ...registry.credits, amount: creditsGranted } },
    },
    price: {
      ...priceOf(plan, usdc),
      total,
      isCard,
      isFree: total === 0n,
      decimals: decimals ?? 0,
      currency: isToken
        ? unitOfToken(currency).currency
        : paidIn(currency, { isFiat: isCard }).toUpperCase(),
    },
  };
}

/** `1.00 USDC`, always with its code: a page can show two currencies. */
export const priceText = ({ total, decimals, currency, isFree }: PlanPrice): string =>
  isFree ? "Free" : moneyText(total, decimals, currency);

/** What a page quotes. Orders are charged only for the version that was quoted. */
export type Offer = {
  version: number;
  price: string;
  /** `100 credits for 1.00 USDC`. */
  terms: string;
  /** How it is paid and in which currency; a form is made for one. */
  unit: string;
};

export function offerOf(plan: Plan, price: PlanPrice): Offer {
  const grant = grantText(plan);
  return {
    version: plan.version,
    price: priceText(price),
    terms: `${grant[0]?.toLowerCase()}${grant.slice(1)} for ${price.isFree ? "free" : priceText(price)}`,
    unit: `${plan.scheme} ${price.currency}`,
  };
}

/** What a plan grants: `100 credits`, `Access for 30 days`. */
export function grantText({ metadata, registry }: Pick<Plan, "metadata" | "registry">): string {
  const secs = Number(registry.credits.durationSecs);
  if (metadata.plan.accessLimit === "time") {
    return secs === 0 ? "Unlimited access" : `Access for ${durationWords(secs)}`;
  }
  const credits = BigInt(registry.credits.amount);
  return plural(credits, "credit");
}

export function callUsesText({ metadata, registry }: Pick<Plan, "metadata" | "registry">): string {
  if (metadata.plan.accessLimit === "time") return "No credits";
  const { minAmount, maxAmount } = registry.credits;
  const [min, max] = [BigInt(minAmount), BigInt(maxAmount)];
  if (min !== max) return `${groupDigits(min)} to ${plural(BigInt(max), "credit")}`;
  return plural(min, "credit");
}

export function expiryText({ registry }: Pick<Plan, "registry">): string {
  const secs = Number(registry.credits.durationSecs);
  return secs === 0 ? "Never" : `${durationWords(secs)} after the order`;
}

/** `100 credits added`, `Access for 30 days added`. */
export const addedText = (grant: string): string => `${grant} added`;

/** `100 credits were granted`, for an order that was refunded. */
export const grantedText = (grant: string): string =>
  `${grant} ${grant.endsWith(" credits") ? "were" : "was"} granted`;

/** What a call costs, as the plan's page says it: `0.01 USDC`, `0.01 to 0.10 USDC`. */
export function callCostText({ registry }: Pick<Plan, "registry">, price: PlanPrice): string {
  const { total, currency, decimals, isFree } = price;
  if (isFree) return "Free";
  if (BigInt(registry.credits.amount) === 0n) return "–";
  return callCostWords(total, registry.credits, { symbol: currency, decimals });
}
