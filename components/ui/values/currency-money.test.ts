import { expect, test } from "vitest";
import { currencyMoney, currencyUnit, exactMoney, moneyLines } from "./currency-money.ts";

const NATIVE = `0x${"0".repeat(40)}`;
const TOKEN = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

test.each([
  ["1234567890123456", NATIVE, "0.001234567890123456 ETH"],
  ["5000000", "usd", "5.00 USD"],
  ["1500000000", "jpy", "1,500 JPY"],
  ["9500005", "usdc", "9.500005 USDC"],
  ["1000000", TOKEN, "1,000,000 smallest units of 0x5aAe…eAed"],
])("%s of %s is %s", (amount, currency, text) => {
  expect(currencyMoney(amount, currency)).toBe(text);
});

test("decimals that the service sent rule over what the currency tells", () => {
  expect(exactMoney({ amount: "1500", currency: TOKEN, decimals: 3 })).toBe("1.50 0x5aAe…eAed");
});

test("an amount is typed in a short unit", () => {
  expect([NATIVE, "usdc", TOKEN].map(currencyUnit)).toEqual(["ETH", "USDC", "smallest units"]);
});

test("sums are a line each, without those of zero", () => {
  const sum = (currency: string, amount: string) => ({ currency, amount });
  expect(moneyLines([sum("usd", "0"), sum("jpy", "9000000000"), sum("usdc", "9500005")])).toEqual([
    "9,000 JPY",
    "9.500005 USDC",
  ]);
  expect(moneyLines([sum("usd", "0"), sum("eur", "0")])).toEqual(["0.00 USD"]);
  expect(moneyLines([])).toEqual(["0"]);
});
