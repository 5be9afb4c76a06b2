import { ERRORS } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { inlineCode } from "./inline-code.tsx";

test("what an error asks for is shown as code, without backticks", () => {
  const parts = inlineCode(ERRORS.invalid_input.hint);
  expect(parts).toMatchObject([
    "Fix what the message or ",
    { type: "code", props: { children: "details" } },
    " names.",
  ]);
});

test.each(Object.entries(ERRORS))("the hint of %s has no backtick left over", (_, { hint }) => {
  const text = inlineCode(hint).filter((part) => typeof part === "string");
  expect(text.join("")).not.toContain("`");
});
