import { describe, expect, test } from "vitest";
import { csvLine, forSpreadsheets, sheetLine } from "./csv.ts";

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

describe("CSV for spreadsheets", () => {
  test("has ids of more digits than a number keeps as texts, and other cells unchanged", () => {
    const id = "115792089237316195423570985008687907853";
    expect(sheetLine([id, "1234567890123456", "123456789012345", "0x5aAe", 7])).toBe(
      `"'${id}","'1234567890123456",123456789012345,0x5aAe,7\r\n`,
    );
  });

  test("has amounts as numbers, however long", () => {
    expect(sheetLine([{ decimal: "1234567890123456789" }])).toBe("1234567890123456789\r\n");
  });

  test("begins with the mark of UTF-8", async () => {
    async function* lines() {
      yield sheetLine(["größe", "計画"]);
    }
    let file = "";
    for await (const part of forSpreadsheets(lines())) file += part;
    expect(file).toBe("\uFEFFgröße,計画\r\n");
  });
});
