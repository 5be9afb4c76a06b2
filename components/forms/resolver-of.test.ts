import { expect, test } from "vitest";
import { resolverOf } from "./resolver-of.ts";

const resolve = resolverOf(({ count }: { count: string }) =>
  /^\d+$/.test(count)
    ? { input: { count: Number(count) } }
    : { faults: { count: "Enter a whole number." } },
);
const options = { fields: {}, shouldUseNativeValidation: false };

test("values that can be read become the operation's input", () => {
  expect(resolve({ count: "7" }, undefined, options)).toEqual({ values: { count: 7 }, errors: {} });
});

test("each fault is an error of its field", () => {
  expect(resolve({ count: "x" }, undefined, options)).toEqual({
    values: {},
    errors: { count: { type: "invalid", message: "Enter a whole number." } },
  });
});
