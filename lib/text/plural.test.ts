import { expect, test } from "vitest";
import { formatCount, plural, pluralWord, shownOf } from "./plural.ts";

test.each([
  [0, "0 keys"],
  [1, "1 key"],
  [2, "2 keys"],
  [1_000, "1,000 keys"],
  [1n, "1 key"],
  [2n ** 70n, "1,180,591,620,717,411,303,424 keys"],
])("%s of a key is %s", (count, text) => {
  expect(plural(count, "key")).toBe(text);
});

test("an irregular plural is given", () => {
  expect(plural(3, "reply", "replies")).toBe("3 replies");
  expect(pluralWord(1, "is", "are")).toBe("is");
});

test.each([
  [8, 8, "8 tokens"],
  [1, 1, "1 token"],
  [50, 1_200, "50 of 1,200 tokens"],
  [0, 1, "0 of 1 token"],
])("a list that shows %i of %i says so only when some are missing: %s", (shown, total, text) => {
  expect(shownOf(shown, total, "token")).toBe(text);
});

test("numbers are written as Intl writes them", () => {
  const intl = new Intl.NumberFormat("en");
  const some = [
    0,
    7,
    999,
    1_000,
    12_345,
    999_999,
    1_000_000,
    -1_234,
    0.1 + 0.2,
    9.5,
    1_234.5678,
    0.1234,
  ];
  for (const each of [...some, 10n ** 30n, -(10n ** 7n)])
    expect(formatCount(each)).toBe(intl.format(each));
});
