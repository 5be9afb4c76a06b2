import { describe, expect, test } from "vitest";
import { ZERO_ADDRESS } from "../address.ts";
import { PaymentsError } from "../errors.ts";
import { PlanPriceConfig } from "./price.ts";
import {
  getCryptoPriceConfig,
  getErc20PriceConfig,
  getFiatPriceConfig,
  getFreePriceConfig,
  getNativeTokenPriceConfig,
  isFree,
  totalOf,
} from "./price-builders.ts";

const RECEIVER = "0x52908400098527886E0F7030069857D2E4169EE7";
const TOKEN = "0x8617E340B3D01FA5F11F306F4090FD50E238070D";
const UNUSED = {
  contractAddress: ZERO_ADDRESS,
  feeController: ZERO_ADDRESS,
  externalPriceAddress: ZERO_ADDRESS,
  templateAddress: ZERO_ADDRESS,
};

describe("the fields of a price (§2.10)", () => {
  const minimal = { amounts: [], receivers: [] };
  const parse = (members: Record<string, unknown>) =>
    PlanPriceConfig.safeParse({ ...minimal, ...members });

  test.each([
    "tokenAddress",
    "contractAddress",
    "feeController",
    "externalPriceAddress",
    "templateAddress",
  ])("%s is an address and the zero address when left out", (field) => {
    expect(parse({}).data).toHaveProperty(field, ZERO_ADDRESS);
    expect(parse({ [field]: TOKEN.toLowerCase() }).data).toHaveProperty(field, TOKEN);
    expect(parse({ [field]: "0x12" }).success).toBe(false);
  });
  test("amounts are whole numbers in the smallest unit, decimal strings on the wire", () => {
    const price = parse({ amounts: ["1000000", 5], receivers: [RECEIVER, RECEIVER] });
    expect(price.data?.amounts).toEqual([1_000_000n, 5n]);
    expect(parse({ amounts: ["1.5"], receivers: [RECEIVER] }).success).toBe(false);
  });
  test("receivers are addresses, one for each amount", () => {
    expect(parse({ amounts: ["1"], receivers: ["no address"] }).success).toBe(false);
    expect(parse({ amounts: ["1"], receivers: [] }).error?.issues[0]).toMatchObject({
      path: ["receivers"],
      message: "Give each amount its receiver.",
    });
  });
  test("isCrypto is true unless it says false", () => {
    expect(parse({}).data?.isCrypto).toBe(true);
    expect(parse({ isCrypto: false }).data?.isCrypto).toBe(false);
    expect(parse({ isCrypto: "false" }).success).toBe(false);
  });
  test("currency is optional and upper-case", () => {
    expect(parse({}).data).not.toHaveProperty("currency");
    expect(parse({ currency: "eur" }).data?.currency).toBe("EUR");
    expect(parse({ currency: "€" }).success).toBe(false);
  });
});

describe("the builders of a price (§2.10)", () => {
  test("getFiatPriceConfig: zero addresses, one amount, one receiver, not crypto, USD by default", () => {
    const price = {
      ...UNUSED,
      tokenAddress: ZERO_ADDRESS,
      amounts: [10_000_000n],
      receivers: [RECEIVER],
      isCrypto: false,
      currency: "USD",
    };
    expect(getFiatPriceConfig(10_000_000n, RECEIVER)).toEqual(price);
    expect(getFiatPriceConfig("10000000", RECEIVER, "eur")).toEqual({ ...price, currency: "EUR" });
  });
  test("getCryptoPriceConfig: the given token or the zero address, crypto, no currency", () => {
    const price = {
      ...UNUSED,
      tokenAddress: TOKEN,
      amounts: [5n],
      receivers: [RECEIVER],
      isCrypto: true,
    };
    expect(getCryptoPriceConfig(5, RECEIVER, TOKEN)).toEqual(price);
    expect(getCryptoPriceConfig(5, RECEIVER)).toEqual({ ...price, tokenAddress: ZERO_ADDRESS });
  });
  test("getErc20PriceConfig: as the crypto builder with that token", () => {
    expect(getErc20PriceConfig(5n, TOKEN, RECEIVER)).toEqual(
      getCryptoPriceConfig(5n, RECEIVER, TOKEN),
    );
  });
  test("getNativeTokenPriceConfig: as the crypto builder with the zero address", () => {
    expect(getNativeTokenPriceConfig(5n, RECEIVER)).toEqual(getCryptoPriceConfig(5n, RECEIVER));
  });
  test("getFreePriceConfig: no amounts, no receivers, crypto", () => {
    expect(getFreePriceConfig()).toEqual({
      ...UNUSED,
      tokenAddress: ZERO_ADDRESS,
      amounts: [],
      receivers: [],
      isCrypto: true,
    });
  });

  const badReceivers = [
    "",
    "0x12",
    RECEIVER.slice(2),
    `${RECEIVER}0`,
    "0xzz",
    RECEIVER.replace("E", "e"),
  ];
  test.each(badReceivers)(
    "a receiver %j is a value error of every builder that takes one",
    (receiver) => {
      const builders = [
        () => getFiatPriceConfig(1n, receiver),
        () => getCryptoPriceConfig(1n, receiver),
        () => getErc20PriceConfig(1n, TOKEN, receiver),
        () => getNativeTokenPriceConfig(1n, receiver),
      ];
      for (const build of builders) {
        expect(build).toThrow(PaymentsError);
        expect(build).toThrow(`Receiver ${JSON.stringify(receiver)} is not an EVM address`);
      }
    },
  );
  test("a token address that is none, or an amount that is none, is a value error too", () => {
    expect(() => getErc20PriceConfig(1n, "0x12", RECEIVER)).toThrow("Token address");
    for (const amount of [-1n, 1.5, "1e3"]) {
      expect(() => getFiatPriceConfig(amount, RECEIVER)).toThrow("Amount: Expected a whole number");
    }
  });
  test("what a builder makes is what the schema reads", () => {
    for (const price of [getFiatPriceConfig(1n, RECEIVER), getFreePriceConfig()]) {
      expect(PlanPriceConfig.parse(price)).toEqual(price);
    }
  });
});

test("a price without amounts is free", () => {
  expect(isFree(getFreePriceConfig())).toBe(true);
  expect(isFree({ amounts: [0n, 0n] })).toBe(true);
  expect(isFree({ amounts: [0n, 1n] })).toBe(false);
  expect(totalOf({ amounts: [2n, 3n] })).toBe(5n);
});
