import { describe, expect, test } from "vitest";
import { createResolver, fieldErrors } from "./field-errors.ts";

test("a field shows its first fault, and the first faulty field comes first", () => {
  const errors = fieldErrors([
    { path: "price", message: "Enter a price." },
    { path: "receivers.1.address", message: "Enter an address." },
    { path: "price", message: "Use at most 6 decimals." },
  ]);
  expect(Object.keys(errors)).toEqual(["price", "receivers"]);
  expect(errors).toMatchObject({
    price: { message: "Enter a price." },
    receivers: [undefined, { address: { message: "Enter an address." } }],
  });
});

describe("a resolver", () => {
  const options = { fields: {}, shouldUseNativeValidation: false };
  const resolve = createResolver(
    ({ name }: { name: string }) => (name ? [] : [{ path: "name", message: "Enter a name." }]),
    ({ name }) => ({ metadataAttributes: { name } }),
  );

  test("returns the operation's input when nothing is wrong", async () => {
    expect(await resolve({ name: "Reader" }, undefined, options)).toEqual({
      values: { metadataAttributes: { name: "Reader" } },
      errors: {},
    });
  });

  test("returns errors and no input otherwise", async () => {
    const { values, errors } = await resolve({ name: "" }, undefined, options);
    expect(values).toEqual({});
    expect(errors).toMatchObject({ name: { message: "Enter a name." } });
  });
});
