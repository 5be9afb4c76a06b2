import { expect, test } from "vitest";
import { fieldsOfError } from "./use-operation-form.ts";

test("a nested path finds the field with its last name", () => {
  const details = [{ path: "metadataAttributes.name", message: "Give the plan a name." }];
  expect(fieldsOfError(details, ["name", "tags"])).toEqual(
    new Map([["name", "Give the plan a name."]]),
  );
});

test("a field keeps its first message", () => {
  const details = [
    { path: "limits.amount", message: "Enter an amount." },
    { path: "limits.amount", message: "Too small." },
  ];
  expect(fieldsOfError(details, ["limits.amount"]).get("limits.amount")).toBe("Enter an amount.");
});

test("a detail without a field of the form is left to the form's own message", () => {
  expect(fieldsOfError([{ path: "nonce", message: "Not a number." }], ["name"]).size).toBe(0);
});
