import { expect, test } from "vitest";
import { apiKeyOf, BUILDER, SUBSCRIBER } from "../../test-support/fake-service.ts";
import { Payments } from "../payments.ts";

const open = (maxSpend: unknown) =>
  Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), maxSpend: maxSpend as object });

test.each([
  [500n, "maxSpend"],
  [5, "maxSpend"],
  ["500", "maxSpend"],
  [null, "maxSpend"],
  [[], "maxSpend"],
  [{ perday: 100n }, "perday"],
  [{ perDay: 100n, perSecond: 1n }, "perSecond"],
  [{ perDay: 1.5 }, "maxSpend.perDay"],
  [{ perCall: "many" }, "maxSpend.perCall"],
])("limits that are written wrongly are refused: %o", (maxSpend, named) => {
  expect(() => open(maxSpend)).toThrow(
    expect.objectContaining({
      code: "invalid_input",
      message: expect.stringContaining(named),
    }),
  );
});

test.each([
  [undefined, undefined],
  [{}, undefined],
  [{ perDay: undefined }, undefined],
  [{ perCall: "500", perDay: 2_000n, currency: "EUR" }, 500n],
])("limits are read: %o", (maxSpend, most) => {
  expect(open(maxSpend).connection.spending.ceiling(undefined)).toBe(most);
});

const purchase = {
  planId: "42",
  subject: "Plan 42 costs 3.00 USD",
  seller: BUILDER,
  currency: "usd",
  cents: 300n,
  total: 3_000_000n,
};

test.each([
  [{ perDay: 250n, perSeller: 400n }, 500n, "`maxSpend.perDay` allows 250 cents; this needs 300."],
  [{ perDay: 400n, perCall: 200n }, 500n, "`maxSpend.perCall` allows 200 cents; this needs 300."],
  [{ perDay: 400n }, 99n, "`maxSpend` allows 99 cents; this needs 300."],
  [{ perDay: 500n }, 500n, "would exceed `maxSpend.perDay`. The day ends at 00:00 UTC."],
  [{ perDay: 900n, perSeller: 500n }, 900n, "would exceed `maxSpend.perDay` or `perSeller`."],
])("a refusal names the limit, and its hint can be followed: %o, %d", async (limits, own, why) => {
  const { spending } = open(limits).connection;
  const buy = () => spending.reserve(purchase, own);
  await expect(buy().then(buy)).rejects.toMatchObject({
    message: expect.stringContaining(why),
    hint: expect.not.stringContaining("for this call"),
  });
});
