import { describe, expect, test } from "vitest";
import type { Earnings } from "@/lib/console/figures.ts";
import { exactMoney } from "../ui/values/currency-money.ts";
import {
  firstPlan,
  netAmount,
  netLines,
  owedFigure,
  partPoints,
  plainAmount,
  previousNote,
  soldPoints,
} from "./money-points.ts";

const usd = (amount: string) => ({
  currency: "usd",
  amount,
  decimals: 6,
  orders: 1,
  refunded: "0",
  refunds: 0,
});

describe("money on the earnings page", () => {
  test("is exact to the last digit", () => {
    expect(exactMoney(usd("1234567891"))).toBe("1,234.567891 USD");
    const most = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    expect(exactMoney({ currency: `0x${"0".repeat(40)}`, amount: most, decimals: 18 })).toBe(
      "115,792,089,237,316,195,423,570,985,008,687,907,853,269,984,665,640,564,039,457.584007913129639935 ETH",
    );
  });

  test("in a token with unknown decimals is in smallest units", () => {
    const token = { currency: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", amount: "1000000" };
    expect(exactMoney(token)).toBe("1,000,000 smallest units of 0x5aAe…eAed");
    expect(plainAmount(token)).toBe("1000000");
  });

  test("for a spreadsheet has no commas", () => {
    expect(plainAmount(usd("1234567891"))).toBe("1234.567891");
    expect(plainAmount(usd("-1234567891"))).toBe("-1234.567891");
  });

  test("after refunds is the difference", () => {
    expect(netAmount({ amount: "10000000", refunded: "2500000" })).toBe("7500000");
  });

  test("that is owed says what becomes of it", () => {
    const figure = (more: Partial<Parameters<typeof owedFigure>[0]>) =>
      owedFigure({ owed: [], pending: [], payouts: "active", ...more });
    const owed = [usd("5000000")];
    expect(figure({})).toEqual({ value: ["0"], note: "No payout pending" });
    expect(figure({ owed })).toEqual({
      value: ["5.00 USD"],
      note: "Card payments clear a few days after the sale; Balance shows what you can pay out now",
    });
    expect(figure({ owed, payouts: "inactive" }).note).toBe("Set up payouts to receive it");
    expect(figure({ owed, payouts: "not-offered" }).note).toBe(
      "This deployment doesn’t pay out card sales",
    );
    expect(figure({ pending: [usd("7000000")] })).toEqual({
      value: ["0"],
      note: "7.00 USD on its way to your bank",
    });
    const debt = { ...usd("-2000000"), currency: "eur" };
    expect(figure({ owed: [usd("5000000"), debt] })).toEqual({
      value: ["5.00 USD", "−2.00 EUR"],
      note: "Card payments clear a few days after the sale; Balance shows what you can pay out now. A negative amount comes from refunds, chargebacks and their fees; your next sales cover it first",
    });
  });

  test("over time has exact texts beside its heights", () => {
    const earnings = {
      range: "24h",
      since: "",
      bucketSecs: 3_600,
      totals: [],
      worth: [],
      orders: { count: 0, previous: 0, plans: 0 },
      creditsSettled: { amount: "0", previous: "0" },
      requestsSettled: { count: 0, previous: 0 },
      owed: [],
      pending: [],
      payouts: "active",
      plans: [],
      agents: [],
      subscribers: [],
      buckets: [
        { at: "2026-11-21T13:00:00.000Z", sold: [], creditsSettled: "0", requestsSettled: 0 },
        {
          at: "2026-11-21T14:00:00.000Z",
          sold: [usd("1000001")],
          creditsSettled: "0",
          requestsSettled: 0,
        },
      ],
    } satisfies Earnings;
    expect(soldPoints(earnings, "usd")).toMatchObject([
      { label: "13:00", values: { sold: 0 }, texts: { sold: "0" } },
      { label: "14:00", values: { sold: 1.000001 }, texts: { sold: "1.000001 USD" } },
    ]);
    expect(soldPoints(earnings, "eur").every(({ values }) => values.sold === 0)).toBe(true);
  });
});

test("the smallest sale in ether has a height", () => {
  const sold = [{ ...usd("1"), currency: `0x${"0".repeat(40)}`, decimals: 18 }];
  const bucket = { at: "2026-11-21T13:00:00.000Z", sold, creditsSettled: "0", requestsSettled: 0 };
  const earnings = { bucketSecs: 3_600, buckets: [bucket] } as unknown as Earnings;
  expect(soldPoints(earnings, `0x${"0".repeat(40)}`)[0]?.values.sold).toBe(1e-18);
});

test("a subscriber’s plans are the first, and how many more", () => {
  const names = Array.from({ length: 40 }, (_, n) => `Plan ${n}`);
  expect([firstPlan(names), firstPlan(["Pro"]), firstPlan([])]).toEqual([
    "Plan 0, +39 plans",
    "Pro",
    "–",
  ]);
});

describe("calls by plan over time", () => {
  const all = (...settled: number[]) => ({
    bucketSecs: 3_600,
    buckets: settled.map((requestsSettled, hour) => ({
      at: `2026-11-21T0${hour}:00:00.000Z`,
      sold: [],
      creditsSettled: "0",
      requestsSettled,
    })),
  });
  const part = (id: string, name: string, ...series: number[]) => ({
    id,
    name,
    series,
    requestsSettled: series.reduce((a, b) => a + b, 0),
  });

  test("are shown for the busiest, with the others combined", () => {
    const parts = [
      part("9", "Idle", 0, 0),
      part("4", "Small", 1, 0),
      part("2", "Pro", 0, 3),
      part("1", "Starter", 3, 1),
      part("3", "Team", 1, 1),
    ];
    const { points, series: shown } = partPoints(parts, all(5, 6));
    expect(points.map(({ values }) => values)).toEqual([
      { 1: 3, 2: 0, 3: 1, others: 1 },
      { 1: 1, 2: 3, 3: 1, others: 1 },
    ]);
    expect(shown.map(({ label }) => label)).toEqual(["Starter", "Pro", "Team", "Others"]);
  });

  test("leave out the others when all are shown", () => {
    const parts = [part("1", "Starter", 3)];
    expect(partPoints(parts, all(3)).series.map(({ label }) => label)).toEqual(["Starter"]);
  });
});

test("sales of two currencies are never added up, and each is beside what it sold in the period before", () => {
  const coins = { ...usd("2000000"), currency: "usdc", previous: "1000000" };
  const dollars = { ...usd("5000000"), refunded: "1000000", previous: "0" };
  expect(netLines([coins, dollars])).toEqual(["2.00 USDC", "4.00 USD"]);
  expect(previousNote([coins, dollars], "the day before")).toBe("1.00 USDC the day before, +100%");
  expect(previousNote([coins, { ...dollars, previous: "8000000" }], "the day before")).toBe(
    "1.00 USDC the day before, +100%; 8.00 USD the day before, −50%",
  );
  expect(netLines([])).toEqual(["0"]);
  const returned = { ...usd("5000000"), refunded: "5000000", previous: "0" };
  expect(netLines([coins, returned])).toEqual(["2.00 USDC"]);
  expect(netLines([returned])).toEqual(["0.00 USD"]);
});
