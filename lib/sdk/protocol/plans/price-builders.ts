import { checksumAddress, isAddress, ZERO_ADDRESS } from "../address.ts";
import { PaymentsError } from "../errors.ts";
import { requireWhole, type Whole } from "../uint256.ts";
import type { PlanPriceConfig } from "./price.ts";

/**
 * A price in a currency, paid by card. `amount` is in millionths of the currency's unit; 10.00 USD
 * is `10_000_000n`. Throws `invalid_input` when the receiver is not an EVM address (§2.10).
 *
 * @example getFiatPriceConfig(10_000_000n, "0x…", "EUR")
 */
export function getFiatPriceConfig(
  amount: Whole,
  receiver: string,
  currency = "USD",
): PlanPriceConfig {
  return priceConfig({ amount, receiver, tokenAddress: ZERO_ADDRESS, isCrypto: false, currency });
}

/**
 * A price in a token, or in the chain's native token when no token is given. `amount` is in the
 * token's smallest unit. Throws `invalid_input` when an address is not one (§2.10).
 */
export function getCryptoPriceConfig(
  amount: Whole,
  receiver: string,
  tokenAddress: string = ZERO_ADDRESS,
): PlanPriceConfig {
  return priceConfig({ amount, receiver, tokenAddress, isCrypto: true });
}

/** A price in an ERC-20 token's smallest unit (§2.10). */
export function getErc20PriceConfig(
  amount: Whole,
  tokenAddress: string,
  receiver: string,
): PlanPriceConfig {
  return getCryptoPriceConfig(amount, receiver, tokenAddress);
}

/** A price in the chain's native token, in wei (§2.10). */
export function getNativeTokenPriceConfig(amount: Whole, receiver: string): PlanPriceConfig {
  return getCryptoPriceConfig(amount, receiver, ZERO_ADDRESS);
}

/** No price at all (§2.10). */
export function getFreePriceConfig(): PlanPriceConfig {
  return {
    ...UNUSED_ADDRESSES,
    tokenAddress: ZERO_ADDRESS,
    amounts: [],
    receivers: [],
    isCrypto: true,
  };
}

/** Whether the plan costs nothing. */
export const isFree = (price: Pick<PlanPriceConfig, "amounts">): boolean =>
  price.amounts.every((amount) => amount === 0n);

/** What one order costs, over all receivers, in the price's smallest unit. */
export const totalOf = (price: Pick<PlanPriceConfig, "amounts">): bigint =>
  price.amounts.reduce((sum, amount) => sum + amount, 0n);

const UNUSED_ADDRESSES = {
  contractAddress: ZERO_ADDRESS,
  feeController: ZERO_ADDRESS,
  externalPriceAddress: ZERO_ADDRESS,
  templateAddress: ZERO_ADDRESS,
};

function priceConfig(price: {
  amount: Whole;
  receiver: string;
  tokenAddress: string;
  isCrypto: boolean;
  currency?: string;
}): PlanPriceConfig {
  return {
    ...UNUSED_ADDRESSES,
    tokenAddress: requireAddress("Token address", price.tokenAddress),
    amounts: [requireWhole("Amount", price.amount)],
    receivers: [requireAddress("Receiver", price.receiver)],
    isCrypto: price.isCrypto,
    ...(price.currency === undefined ? {} : { currency: price.currency.toUpperCase() }),
  };
}

function requireAddress(role: string, address: string): string {
  if (isAddress(address)) return checksumAddress(address);
  throw new PaymentsError(
    "invalid_input",
    `${role} ${JSON.stringify(address)} is not an EVM address: expected 0x and 40 hex digits.`,
  );
}
