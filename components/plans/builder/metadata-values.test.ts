import { expect, test } from "vitest";
import { changedFields } from "../../forms/changes.ts";
import { MetadataRules, type MetadataValues, metadataOf, valuesOf } from "./metadata-values.ts";

const saved = metadataOf({
  name: "Pro",
  tags: ["a", "b"],
  refundUnusedDays: 14,
  refundFailedCalls: true,
});
/** What is sent after a person changed these fields. */
const sent = (typed: Partial<MetadataValues>) =>
  changedFields(saved, MetadataRules.parse({ ...valuesOf(saved), ...typed }));

test("another description sends the description alone, and keeps the refund policy", () => {
  expect(sent({})).toEqual({});
  expect(sent({ description: "New" })).toEqual({ description: "New" });
});

test("a field that is emptied is sent empty", () => {
  expect(sent({ tags: "", refundUnusedDays: "", refundFailedCalls: false })).toEqual({
    tags: [],
    refundUnusedDays: 0,
    refundFailedCalls: false,
  });
});
