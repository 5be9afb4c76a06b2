import { expect, test } from "vitest";
import { moveOption } from "./move-option.ts";

const OPTIONS = ["Base", "Base Sepolia", "Bitcoin", "Optimism"].map((label) => ({ label }));
const press = (key: string, timeStamp = 0) => ({ key, timeStamp });
const nothing = () => ({ text: "", at: -10_000 });

test("keeps arrows, Home and End inside the list", () => {
  const from = (key: string, at: number) => moveOption(press(key), at, OPTIONS, nothing());
  expect([from("ArrowDown", 0), from("ArrowDown", 3)]).toEqual([1, 3]);
  expect([from("ArrowUp", 1), from("ArrowUp", 0)]).toEqual([0, 0]);
  expect([from("Home", 2), from("End", 0)]).toEqual([0, 3]);
});

test("finds an option by the letters typed, and cycles with one repeated letter", () => {
  const typed = nothing();
  expect(moveOption(press("b", 0), 3, OPTIONS, typed)).toBe(0);
  expect(moveOption(press("i", 100), 0, OPTIONS, typed)).toBe(2);
  const again = nothing();
  expect(moveOption(press("b", 0), 0, OPTIONS, again)).toBe(1);
  expect(moveOption(press("b", 100), 1, OPTIONS, again)).toBe(2);
});

test("starts over after a pause, and ignores shortcuts", () => {
  const typed = { text: "b", at: 0 };
  expect(moveOption(press("o", 5_000), 0, OPTIONS, typed)).toBe(3);
  expect(moveOption({ ...press("k"), metaKey: true }, 0, OPTIONS, nothing())).toBeUndefined();
  expect(moveOption(press("z"), 0, OPTIONS, nothing())).toBeUndefined();
});
