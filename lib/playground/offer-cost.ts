import { type PaymentOffer, type Plan, planIdOf } from "@turnpike/payments/protocol";
import { MONEY_DECIMALS } from "@/lib/console/currency-decimals.ts";
import { minorDigits } from "@/lib/console/minor-units.ts";
import { plural } from "@/lib/text/plural.ts";
import { textOf } from "@/lib/text/text-of.ts";
import { worthValues } from "./credits-worth.ts";

const NETWORKS: Record<string, string> = {
  "eip155:1": "Ethereum",
  "eip155:8453": "Base",
  base: "Base",
  "eip155:84532": "Base Sepolia",
  "base-sepolia": "Base Sepolia",
  "eip155:137": "Polygon",
  polygon: "Polygon",
  "eip155:42161": "Arbitrum",
  "eip155:43114": "Avalanche",
  avalanche: "Avalanche",
  solana: "Solana",
  "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": "Solana",
  "solana-devnet": "Solana Devnet",
  "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1": "Solana Devnet",
};

/** USDC's contracts, in lower case. Other assets have decimals that an offer does not name. */
const USDC = new Set([
  "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
  "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
  "0x036cbd53842c5426634e7929541ec2318f3dcf7e",
  "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359",
  "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
  "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e",
  "epjfwdd5aufqssqem2qn1xzybapc8g4wegggkzwytdt1v",
  "4zmmc9srt5ri5x14gagxhahii3gnpaeerypjgzjdncdu",
]);

/** Whether an asset is USDC, whose amounts have six decimals. */
export const isUsdc = (asset: string | undefined): boolean => USDC.has((asset ?? "").toLowerCase());

/** What a call costs under a plan's offer: `1 credit of “Starter”, which sells 100 credits for 5.00 USDC`. */
export function planCost(offer: PaymentOffer, plan: Plan | null): string {
  const credits = plural(BigInt(offer.amount ?? plan?.registry.credits.minAmount ?? 1), "credit");
  if (!plan) return `${credits} of plan ${planIdOf(offer) ?? "without an ID"}`;
  const of = `${credits} of “${plan.metadata.main.name}”`;
  if (plan.registry.price.amounts.length === 0) return `${of}, which is free`;
  const { price, granted, currency } = worthValues(plan, 0n);
  if (price === undefined || granted === undefined || currency === undefined) return of;
  const amount = moneyText(BigInt(price), currency);
  return `${of}, which sells ${plural(BigInt(granted), "credit")} for ${amount} ${currency.toUpperCase()}`;
}

/** The price of a direct payment of any x402 version, and its network; undefined where the offer does not say. */
export function directPrice(offer: unknown): { price: string; network: string } | undefined {
  const given = (offer ?? {}) as Record<string, unknown>;
  const amount = textOf(given.amount ?? given.maxAmountRequired);
  if (!/^\d{1,78}$/.test(amount)) return undefined;
  const [asset, id] = [textOf(given.asset), textOf(given.network)];
  const network = NETWORKS[id] ?? id;
  if (isUsdc(asset)) return { price: `${usdcText(BigInt(amount))} USDC`, network };
  const unit = asset ? `asset ${asset}` : "an unnamed asset";
  return { price: `${amount} of the smallest unit of ${unit}`, network };
}

/** The same in one text: `0.01 USDC on Base Sepolia`; empty where the offer does not say. */
export function directCost(offer: unknown): string {
  const found = directPrice(offer);
  return found ? found.price + (found.network && ` on ${found.network}`) : "";
}

/** Smallest units of USDC as a decimal number with at least two decimals. */
export const usdcText = (amount: bigint): string => moneyText(amount, "USDC");

/** Millionths of a currency as a decimal number, with the decimals that its minor unit has. */
function moneyText(amount: bigint, currency: string): string {
  const digits = amount.toString().padStart(MONEY_DECIMALS + 1, "0");
  const fraction = digits.slice(-MONEY_DECIMALS);
  const least = Math.min(2, minorDigits(currency));
  const shown = fraction.slice(0, least) + fraction.slice(least).replace(/0+$/, "");
  return digits.slice(0, -MONEY_DECIMALS) + (shown && `.${shown}`);
}
