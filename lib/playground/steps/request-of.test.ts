import { expect, test } from "vitest";
import { requestOf } from "./request-without-payment.ts";

const input = {
  method: "POST",
  url: "https://agent.example/ask",
  headers: [
    ["Payment-Signature", "typed by hand"],
    ["x-note", "1"],
  ] as const,
  body: "{}",
};

test("a payment header that was typed by hand is never sent", () => {
  expect(requestOf(input, null)).toEqual({ ...input, headers: [["x-note", "1"]] });
  expect(requestOf(input, "token").headers).toEqual([
    ["x-note", "1"],
    ["payment-signature", "token"],
  ]);
});
