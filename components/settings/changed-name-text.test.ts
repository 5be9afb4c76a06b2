import { expect, test } from "vitest";
import { changedNameText } from "./changed-name-text.ts";

test.each([
  ["", "  ", undefined],
  ["Meridian", " Meridian ", undefined],
  ["", "Meridian", "Name saved"],
  ["Meridian", "Zenith", "Name saved"],
  ["Meridian", " ", "Name removed"],
])("saving over %j what was typed as %j says %j", (before, typed, text) => {
  expect(changedNameText(before, typed)).toBe(text);
});
