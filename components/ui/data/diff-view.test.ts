import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { diffLines } from "./diff-view.tsx";

const show = (before: string, after: string) =>
  diffLines(before, after).map(
    ({ kind, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${text}`,
  );

test("removes and adds only what changed", () => {
  expect(show("a\nb\nc", "a\nB\nc")).toEqual([" a", "-b", "+B", " c"]);
  expect(show("a\nb", "a\nx\nb\ny")).toEqual([" a", "+x", " b", "+y"]);
  expect(show("a\nb\nc\nd", "b\nd")).toEqual(["-a", " b", "-c", " d"]);
});

test("finds no difference in equal texts", () => {
  expect(diffLines("a\nb", "a\nb").every(({ kind }) => kind === "same")).toBe(true);
});

const text = fc
  .array(fc.constantFrom("a", "b", "c", ""), { minLength: 1 })
  .map((all) => all.join("\n"));

property.prop([text, text])("both texts can be restored from the difference", (before, after) => {
  const lines = diffLines(before, after);
  const textOf = (without: string) =>
    lines
      .filter(({ kind }) => kind !== without)
      .map((line) => line.text)
      .join("\n");
  expect(textOf("added")).toBe(before);
  expect(textOf("removed")).toBe(after);
});
