import { expect, test } from "vitest";
import { describeBody, typeOf } from "./describe-schema.ts";

test.each([
  [{ type: "string" }, "string"],
  [{ type: "string", format: "uri" }, "uri"],
  [{ $ref: "#/$defs/Uint256" }, "decimal string"],
  [{ oneOf: [{ type: "string" }, { type: "integer" }] }, "decimal string"],
  [{ const: "credits", type: "string" }, '"credits"'],
  [{ enum: ["a", "b"] }, '"a" or "b"'],
  [{ type: "array", items: { type: "string" } }, "array of strings"],
  [{ type: "array", items: { enum: ["a", "b"] } }, 'array of "a" or "b"'],
  [{ type: "object", additionalProperties: { type: "string" } }, "map of string"],
  [{ type: "object", additionalProperties: {} }, "object"],
  [{ anyOf: [{ type: "string" }, { type: "string" }, { type: "number" }] }, "string or number"],
])("%j reads as %s", (schema, words) => {
  expect(typeOf(schema)).toBe(words);
});

test("nested objects and lists of objects become indented fields", () => {
  const price = { type: "object", properties: { isCrypto: { type: "boolean" } } };
  const [form] = describeBody({
    type: "object",
    required: ["price"],
    properties: { price, prices: { type: "array", items: price } },
  });
  expect(form?.fields).toEqual([
    { name: "price", type: "object", isRequired: true, depth: 0 },
    { name: "isCrypto", type: "boolean", isRequired: false, depth: 1 },
    { name: "prices", type: "array of objects", isRequired: false, depth: 0 },
    { name: "isCrypto", type: "boolean", isRequired: false, depth: 1 },
  ]);
});

test("a choice between objects is shown as that many forms", () => {
  const form = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } } });
  const forms = describeBody({ anyOf: [form("left"), form("right")] });
  expect(forms.map(({ fields }) => fields.map(({ name }) => name))).toEqual([["left"], ["right"]]);
});

test("an answer that is a bare list shows its items' fields", () => {
  const items = { type: "object", properties: { id: { type: "string" } } };
  expect(describeBody({ type: "array", items })).toEqual([
    {
      type: "array of objects",
      fields: [{ name: "id", type: "string", isRequired: false, depth: 0 }],
    },
  ]);
});
