import { expect, test } from "vitest";
import { errorText } from "./action-answer.ts";

test("an error's text says what to do, without the hint for callers of the API", () => {
  const message = "“foo” is not a type of event.";
  expect(errorText({ message, hint: "Fix the fields listed in `details`." })).toBe(message);
  const details = [{ path: "address", message: "Expected an e-mail address." }];
  const wrong = { message: "address: Expected an e-mail address.", details };
  expect(errorText({ ...wrong, hint: "Fix the fields listed in `details`." })).toBe(
    "Expected an e-mail address.",
  );
  expect(errorText({ message, hint: "Choose one of the list." })).toBe(
    `${message} Choose one of the list.`,
  );
});
