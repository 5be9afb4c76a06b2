import { expect, test } from "vitest";
import { inFormWords, lengthFault } from "./form-words.ts";

test.each([
  ["Expected at least 0.", "Enter 0 or more."],
  ["Expected at most 365.", "Enter 365 or less."],
  ["Expected at most 80 characters.", "Use at most 80 characters."],
  ["Expected at least 1 items.", "Choose at least 1."],
  ["Expected a time such as 07:00.", "Enter a time such as 07:00."],
  ["Expected an http(s) URL.", "Enter an http(s) URL."],
  ["Up to 365 days.", "Up to 365 days."],
])("%s is said in a form as: %s", (message, words) => {
  expect(inFormWords(message)).toBe(words);
});

test("a text that is too long is named as such, and not for the spaces around it", () => {
  expect(lengthFault("four", 4)).toBeUndefined();
  expect(lengthFault(" four ", 4)).toBeUndefined();
  expect(lengthFault("fives", 4)).toBe("Use at most 4 characters.");
});
