import { expect, test } from "vitest";
import { missingText } from "./draft-faults.ts";

const noName = { path: "name", message: "Enter a name." } as const;
const noAmount = { path: "receivers.0.amount", message: "Enter an amount." } as const;

test("a field is missing once its step is reached", () => {
  expect(missingText([noName], "price")).toBe("Later steps have placeholder values.");
  expect(missingText([noName], "review")).toBe("Incomplete. Enter a name.");
});

test("a fault of an earlier step comes before the placeholders of later ones", () => {
  expect(missingText([noName, noAmount], "credits")).toBe("Incomplete. Enter an amount.");
});
