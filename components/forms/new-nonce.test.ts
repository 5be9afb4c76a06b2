import { expect, test } from "vitest";
import { createNonces } from "./new-nonce.ts";

test("the same input keeps its nonce, and an edited one gets another", () => {
  const nonceOf = createNonces();
  const first = nonceOf({ name: "Reader" });
  const edited = nonceOf({ name: "Translator" });
  expect(nonceOf({ name: "Reader" })).toBe(first);
  expect(edited).not.toBe(first);
  expect(createNonces()({ name: "Reader" })).not.toBe(first);
});
