import { describe, expect, test } from "vitest";
import { createResolver, fieldErrors } from "./create-resolver.ts";

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
  const resolve = createResolver(({ name, count }: { name: string; count: string }) => {
    if (!name) return { faults: [{ path: "name", message: "Enter a name." }] };
    if (count === "x") return { faults: { count: "Enter a whole number.", name: undefined } };
    return { input: { metadataAttributes: { name } } };
  });

  test("returns the operation's input when nothing is wrong", async () => {
    expect(await resolve({ name: "Reader", count: "7" }, undefined, options)).toEqual({
      values: { metadataAttributes: { name: "Reader" } },
      errors: {},
    });
  });

  test("returns errors and no input otherwise", async () => {
    const { values, errors } = await resolve({ name: "", count: "7" }, undefined, options);
    expect(values).toEqual({});
    expect(errors).toMatchObject({ name: { message: "Enter a name." } });
  });

  test("takes faults by field as well", () => {
    expect(resolve({ name: "Reader", count: "x" }, undefined, options)).toEqual({
      values: {},
      errors: { count: { type: "invalid", message: "Enter a whole number." } },
    });
  });
});
