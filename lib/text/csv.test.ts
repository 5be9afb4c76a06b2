import { describe, expect, test } from "vitest";
import { csvLine } from "./csv.ts";

describe("CSV", () => {
  test("quotes cells with a comma, a quote or a line break", () => {
    expect(csvLine(["a,b", 'say "so"', "two\nlines", 7, undefined])).toBe(
      '"a,b","say ""so""","two\nlines",7,\r\n',
    );
  });

  for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", '=HYPERLINK("x")']) {
    test(`never begins a cell with ${JSON.stringify(text)}`, () => {
      const line = csvLine([text]);
      expect(line.startsWith(`"'`)).toBe(true);
      expect(line).toContain(text.replaceAll('"', '""'));
    });
  }

  test("leaves ids and amounts unchanged", () => {
    expect(csvLine(["0x5aAe", "115792089237316195423570985008687907853"])).toBe(
      "0x5aAe,115792089237316195423570985008687907853\r\n",
    );
  });

  test("writes decimals below zero as numbers, and a text in their place as a text", () => {
    expect(csvLine([{ decimal: "-1.250000" }, { decimal: "-1+1" }])).toBe(`-1.250000,"'-1+1"\r\n`);
  });
});
