import { checksumAddress, PlanRedemptionType } from "@turnpike/payments/protocol";
import fc from "fast-check";
import { CARD_CURRENCIES, leastCardPrice } from "../builder/card-currencies.ts";
import { KINDS, newDraft, type PlanDraft } from "../builder/plan-draft.ts";
import type { Market } from "../market.ts";
import { RAILS } from "../rails.ts";

export const OWN_ADDRESS = checksumAddress("0x54f6ecf00fdeea628a15e3831f28a77b908b9812");
export const USDC = checksumAddress("0x50aa36fb6e84192433a8af22fe582ccb0a83c6df");

export const MARKET: Market = {
  environment: "sandbox",
  origin: "http://localhost:3000",
  network: "eip155:84532",
  chainName: "Base Sepolia",
  nativeSymbol: "ETH",
  tokens: [{ address: USDC, symbol: "USDC", decimals: 6, isStable: true }],
  ownAddress: OWN_ADDRESS,
};

/** The plan a builder intends, beside the draft typed for it. */
export type ExpectedPlan = {
  draft: PlanDraft;
  /** In the smallest unit on the wire, one per receiver. */
  amounts: bigint[];
  receivers: string[];
  decimals: number;
};

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .filter((bytes) => bytes.some((byte) => byte > 0))
  .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);

/** Digits as people write them, with or without trailing zeros. */
const typed = (amount: bigint, decimals: number, extraZeros: number): string => {
  const digits = amount.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  const room = Math.max(0, decimals - fraction.length);
  const shown = fraction + "0".repeat(Math.min(extraZeros, room));
  return shown ? `${whole}.${shown}` : whole;
};

const count = fc.oneof(
  fc.bigInt(1n, 1_000n),
  fc.bigInt(1n, 10n ** 12n),
  fc.bigInt(2n ** 53n, 2n ** 64n),
);

const text = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 40, unit: "grapheme-ascii" }),
    fc.constantFrom(
      "Filings, flexible",
      'O’Brien\'s "plan"',
      "<b>bold</b>",
      "a\\'b $HOME `x`",
      "名前",
    ),
  )
  .map((value) => value.trim())
  .filter((value) => value !== "");

const optional = fc.oneof(fc.constant(""), text);

/** Any plan the builder can create, with every price and every kind of credits. */
export const expectedPlan: fc.Arbitrary<ExpectedPlan> = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    rail: fc.constantFrom(...RAILS),
    trialCredits: fc.constantFrom("fixed" as const, "dynamic" as const, "time" as const),
    cardCurrency: fc.constantFrom(...Object.keys(CARD_CURRENCIES)),
    tokenAddress: address,
    tokenDecimals: fc.integer({ min: 0, max: 36 }),
    others: fc.uniqueArray(address, { maxLength: 3 }),
    units: fc.array(fc.bigInt(1n, 10n ** 24n), { minLength: 4, maxLength: 4 }),
    extraZeros: fc.nat(3),
    counts: fc.tuple(count, count, count),
    durationSecs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 10 * 31_557_600 })),
    redemptionType: fc.constantFrom(...Object.values(PlanRedemptionType)),
    redeemers: fc.uniqueArray(address, { maxLength: 3 }),
    proofRequired: fc.boolean(),
    holderRequired: fc.boolean(),
    nftAddress: fc.oneof(fc.constant(""), address),
    name: text,
    description: optional,
    author: optional,
    license: optional,
    refundUnusedDays: fc.constantFrom("", "14"),
    refundFailedCalls: fc.boolean(),
    tags: fc.array(
      text.map((tag) => tag.replaceAll(",", " ").trim() || "tag"),
      { maxLength: 3 },
    ),
    sampleLink: fc.constantFrom("", "https://example.com/a?b=c&d='e'", "http://localhost:8080/x"),
    state: fc.constantFrom("listed" as const, "unlisted" as const, "draft" as const),
    nonce: fc.bigInt(1n, 2n ** 128n),
  })
  .map(({ others, units, extraZeros, counts, tokenDecimals, tags, redeemers, ...chosen }) => {
    const isCard = chosen.rail === "card";
    const typedDecimals = isCard
      ? (CARD_CURRENCIES[chosen.cardCurrency] ?? 2)
      : { stablecoin: 6, native: 18, token: tokenDecimals, free: 0 }[chosen.rail as "native"];
    const shift = isCard ? 10n ** BigInt(6 - typedDecimals) : 1n;
    const receivers = [OWN_ADDRESS, ...(isCard ? [] : others)];
    // Card payments have a minimum and a maximum.
    const amounts = receivers.map((_, index) => {
      const amount = units[index] ?? 1n;
      return isCard ? leastCardPrice(chosen.cardCurrency) + (amount % 10n ** 7n) * shift : amount;
    });
    const [one, two, three] = [...counts].sort((a, b) => (a < b ? -1 : 1)) as [
      bigint,
      bigint,
      bigint,
    ];
    const draft: PlanDraft = {
      ...newDraft(MARKET, String(chosen.nonce)),
      ...chosen,
      nonce: String(chosen.nonce),
      tokenDecimals: String(tokenDecimals),
      receivers: receivers.map((receiver, index) => ({
        address: receiver,
        amount: typed((amounts[index] ?? 0n) / shift, typedDecimals, extraZeros),
      })),
      perCall: String(one),
      least: String(one),
      most: String(two),
      granted: String(three),
      tags: tags.join(", "),
      redeemers: redeemers.join("\n"),
    };
    const isFree = chosen.kind === "trial" || chosen.rail === "free";
    return {
      draft,
      amounts: isFree ? [] : amounts,
      receivers: isFree ? [] : receivers.map((receiver) => checksumAddress(receiver)),
      decimals: isCard ? 6 : typedDecimals,
    };
  });
