import { expect, test } from "vitest";
import { apiKeyOf, SUBSCRIBER } from "../../test-support/fake-service.ts";
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
