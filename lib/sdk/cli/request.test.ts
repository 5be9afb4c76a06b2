import { describe, expect, test } from "vitest";
import { requestOf } from "./request.ts";

const url = "https://agent.example/ask";
const headersOf = (...header: string[]) =>
  Object.fromEntries(requestOf({ url, header }).headers) as Record<string, string>;
const refusal = (...header: string[]) => {
  try {
    headersOf(...header);
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error("It was not refused.");
};

describe("the header lines of a call", () => {
  test("a line is split at its first colon, and blanks around the value are left out", () => {
    expect(headersOf("X-Time:  10:30 ", "x-empty:", "x-tab:\ta b\t")).toEqual({
      "x-time": "10:30",
      "x-empty": "",
      "x-tab": "a b",
    });
  });

  test.each([
    ["without a colon", "x-note"],
    ["without a name", ": value"],
    ["with a blank in its name", "x note: value"],
    ["with a line break", "x-note: a\r\nx-other: b"],
    ["with a control character", "x-note: a\u0000b"],
    ["with a character that no header can carry", "x-note: \u20ac"],
  ])("a line %s is refused", (_, line) => {
    expect(refusal(line)).toMatchObject({ code: "invalid_input" });
  });

  test("a line that is too long, or too many lines, are refused without their text", () => {
    const long = refusal(`x-note: ${"x".repeat(500_000)}`);
    expect([long.code, long.message.length < 300]).toEqual(["invalid_input", true]);
    expect(refusal(...Array(101).fill("x-note: a"))).toMatchObject({ code: "invalid_input" });
  });

  test.each([
    ["blanks and a line break", `a:${" ".repeat(30_000)}x\ny`],
    ["colons", `${"a:".repeat(200_000)}\n`],
    ["letters without a colon", "a".repeat(500_000)],
  ])("a line of %s is refused at once", (_, line) => {
    const start = process.cpuUsage();
    expect(refusal(line)).toMatchObject({ code: "invalid_input" });
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_000);
  });
});
