import {
  networkOf,
  type PlanPriceConfig,
  totalOf,
  ZERO_ADDRESS,
} from "@turnpike/payments/protocol";
import { amountText, groupDigits } from "../ui/values/money-text.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import type { Market, Unit } from "./market.ts";
import {
  creditsKindOfTerms,
  type PlanTerms,
  railOfPrice,
  schemeOfTerms,
  unitOfPrice,
} from "./plan-terms.ts";
import {
  amountWords,
  CREDITS_WORDS,
  callsWords,
  creditsWords,
  holderWords,
  lengthWords,
  proofWords,
  rawWords,
  redemptionWords,
} from "./plan-words.ts";
import { RAIL_WORDS } from "./rails.ts";
import { type CallCost, callCost, callsWithin } from "./unit-price.ts";

/** One line about a plan. `step` is the builder step that asks for it. */
export type Fact = { key: string; term: string; text: string; step: "kind" | "price" | "credits" };

/** Every line about what a plan costs and grants, the same for drafts and stored plans. */
export function describeTerms(terms: PlanTerms, market: Market): Fact[] {
  const { price, credits } = terms;
  const unit = unitOfPrice(price, market);
  const rail = railOfPrice(price, market);
  const isPaid = rail !== "free";
  const isCounted = terms.accessLimit !== "time";
  const kind = factsOf("kind");
  const cost = factsOf("price");
  const grant = factsOf("credits");
  return [
    kind("counts", "Metering", CREDITS_WORDS[creditsKindOfTerms(terms)]),
    kind("trial", "Trial", terms.isTrial ? "Yes, once per account" : "No"),
    cost("rail", "Paid with", RAIL_WORDS[rail]),
    cost("price", "Price", priceWords(price, market)),
    isPaid && cost("raw", "Base units", rawWords(totalOf(price), unit)),
    ...receiverFacts(price, unit),
    price.feeController !== ZERO_ADDRESS && cost("fees", "Fee controller", price.feeController),
    cost("settles", "Settlement", settlesWords(terms, market)),
    isCounted && grant("granted", "Credits per order", groupDigits(credits.amount)),
    grant("uses", "Credits per call", usesWords(terms)),
    isCounted && grant("calls", "Calls", callsRangeWords(terms)),
    isCounted && isPaid && grant("costs", "Cost per call", costWords(terms, market)),
    grant("ends", "Expires", endsWords(terms)),
    grant("redeemer", "Who can use credits", redemptionWords(credits.redemptionType)),
    grant("proof", "Proof", proofWords(credits.proofRequired)),
    grant("holder", "Access tokens", holderWords(credits.holderRequired)),
    credits.nftAddress !== undefined && grant("nft", "NFT contract", credits.nftAddress),
  ].filter((fact) => fact !== false);
}

/** Writes the facts that one step of the builder asks for. */
function factsOf(step: Fact["step"]) {
  return (key: string, term: string, text: string): Fact => ({ key, term, text, step });
}

export function cardFacts(terms: PlanTerms, market: Market): Record<string, string> {
  const shown = ["granted", "uses", "costs", "calls", "ends", "receiver"];
  const facts = describeTerms(terms, market);
  return Object.fromEntries(
    shown.flatMap((key) =>
      facts
        .filter((fact) => fact.key === key || fact.key.startsWith(`${key}.`))
        .map(({ term, text }) => [term, text.replace(/0x[0-9a-fA-F]{40}/, shortenIdentifier)]),
    ),
  );
}

/** The price in a few characters: `25.00 USDC`, "Free". */
export function priceWords(price: PlanPriceConfig, market: Market): string {
  const total = totalOf(price);
  return total === 0n ? "Free" : amountWords(total, unitOfPrice(price, market));
}

/** What an order grants and what a call uses, in one line: `100 credits, 1 per call`. */
export function grantWords(terms: PlanTerms): string {
  if (terms.accessLimit === "time") return lengthWords(terms.credits.durationSecs);
  const { minAmount, maxAmount } = terms.credits;
  const uses = minAmount === maxAmount ? groupDigits(minAmount) : range(minAmount, maxAmount);
  return `${creditsWords(BigInt(terms.credits.amount))}, ${uses} per call`;
}

function receiverFacts(price: PlanPriceConfig, unit: Unit): Fact[] {
  return price.receivers.map((receiver, index) => {
    const amount = price.amounts[index] ?? 0n;
    const isOne = price.receivers.length === 1;
    const term = isOne ? "Paid to" : `Paid to ${index + 1}`;
    const text = isOne ? receiver : `${receiver}, ${amountWords(amount, unit)}`;
    return { key: `receiver.${index}`, step: "price", term, text };
  });
}

/** How the plan settles: scheme, network and the chain's name. */
export function settlesWords(terms: PlanTerms, market: Market): string {
  if (railOfPrice(terms.price, market) === "free") {
    return "No payment; the ledger keeps the credits";
  }
  const scheme = schemeOfTerms(terms);
  if (scheme === "svc:card-delegation") return `By card (${scheme} on ${networkOf(scheme)})`;
  return `On ${market.chainName} (${scheme} on ${market.network})`;
}

function usesWords({ accessLimit, credits }: PlanTerms): string {
  if (accessLimit === "time") return "No credits";
  const { minAmount, maxAmount } = credits;
  if (minAmount === maxAmount) return creditsWords(minAmount);
  return `${range(minAmount, maxAmount)} credits`;
}

function callsRangeWords({ credits }: PlanTerms): string {
  const granted = BigInt(credits.amount);
  const least = callsWithin(granted, credits.maxAmount);
  const most = callsWithin(granted, credits.minAmount);
  return least === most ? groupDigits(least) : range(least, most);
}

/** The price of one call: `0.10 USDC`, `0.10 to 1.00 USDC`. */
export const costWords = (terms: PlanTerms, market: Market): string =>
  callCostWords(totalOf(terms.price), terms.credits, unitOfPrice(terms.price, market));

/** The same of a price that is already in a unit. */
export function callCostWords(total: bigint, credits: CreditsPerCall, unit: Unit): string {
  const { least, most } = costsOf(total, credits);
  if (least.amount === most.amount) return costText(least, unit);
  if (unit.decimals === undefined) return `${costText(least, unit)} to ${costText(most, unit)}`;
  const isExact = least.isExact && most.isExact;
  const from = amountText(least.amount, unit.decimals, unit.symbol);
  return `${isExact ? "" : "about "}${from} to ${amountWords(most.amount, unit)}`;
}

export const callCosts = ({ price, credits }: PlanTerms, market: Market) => ({
  ...costsOf(totalOf(price), credits),
  unit: unitOfPrice(price, market),
});

type CreditsPerCall = Record<"amount" | "minAmount" | "maxAmount", bigint | string>;

const costsOf = (total: bigint, { amount, minAmount, maxAmount }: CreditsPerCall) => ({
  least: callCost(total, BigInt(minAmount), BigInt(amount)),
  most: callCost(total, BigInt(maxAmount), BigInt(amount)),
});

export function costText({ amount, isExact }: CallCost, unit: Unit): string {
  if (amount === 0n) return `less than ${amountWords(1n, unit)}`;
  return `${isExact ? "" : "about "}${amountWords(amount, unit)}`;
}

function endsWords({ accessLimit, credits }: PlanTerms): string {
  if (credits.durationSecs === 0n) return "Never";
  const after = `${lengthWords(credits.durationSecs)} after the order`;
  return accessLimit === "time" ? after : `${after}, with any unused credits`;
}

const range = (from: bigint, to: bigint) => `${groupDigits(from)} to ${groupDigits(to)}`;

/** The plan in two sentences: what an order grants, and what a call costs. */
export function readoutSentences(terms: PlanTerms, market: Market): string[] {
  const price = priceWords(terms.price, market);
  const isFree = price === "Free";
  if (terms.accessLimit === "time") {
    const { durationSecs } = terms.credits;
    const access =
      durationSecs === 0n ? "Access that never expires" : `${lengthWords(durationSecs)} of access`;
    return [isFree ? `${access}, free.` : `${access} for ${price}.`, "Calls use no credits."];
  }
  const granted = BigInt(terms.credits.amount);
  const { minAmount, maxAmount } = terms.credits;
  const calls =
    minAmount === maxAmount
      ? callsWords(callsWithin(granted, minAmount))
      : `${callsRangeWords(terms)} calls`;
  const head = isFree
    ? `${creditsWords(granted)}, free.`
    : `${creditsWords(granted)} for ${price}.`;
  if (isFree) return [head, `${calls}.`];
  const isFrom = minAmount !== maxAmount;
  return [head, `${isFrom ? "From " : ""}${costWords(terms, market)} per call; ${calls}.`];
}
