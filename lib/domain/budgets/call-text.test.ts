import { expect, test } from "vitest";
import { callText } from "./call-text.ts";

test("a call is its method and path", () => {
  expect(callText("POST /v1/agents/ä?é 7")).toBe("POST /v1/agents/ä?é");
  expect(callText("ANY / ")).toBe("ANY /");
});

test.each([
  ["a line break", "/a\n\nYour", "/a%0A%0AYour"],
  ["a carriage return and a tab", "/a\r\tb", "/a%0D%09b"],
  ["a no-break space", "/a\u00a0is", "/a%C2%A0is"],
  ["a line separator", "/a\u2028b", "/a%E2%80%A8b"],
  ["a text that runs from right to left", "/a\u202eb", "/a%E2%80%AEb"],
  ["a space of no width", "/a\u200bb", "/a%E2%80%8Bb"],
  ["a filler", "/a\u3164b", "/a%E3%85%A4b"],
  ["a blank of Braille", "/a\u2800b", "/a%E2%A0%80b"],
  ["half a character", "/a\ud800b", "/a\ufffdb"],
  ["a link", "/https://evil.example/login", "/https%3A//evil.example/login"],
])("%s in a path is shown as what it is", (_, path, shown) => {
  expect(callText(`GET ${path} 7`)).toBe(`GET ${shown}`);
});

test("a method is shown in the same way", () => {
  expect(callText("GET\nPay\u00a0now: /a 7")).toBe("GET%0APay%C2%A0now: /a");
});

test("a long call is cut between characters", () => {
  expect(callText(`GET /${"😀".repeat(1_000)} 7`)).toBe(`GET /${"😀".repeat(195)}…`);
});
