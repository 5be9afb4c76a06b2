import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFigure } from "../../scripts/proof/figures.ts";
import { MEASURED } from "./measured.ts";

test("every figure on the landing page is in the last proof run", () => {
  const path = join(import.meta.dirname, "../../docs/proof.json");
  const proof: Record<string, { ok: boolean; figure: string }> = JSON.parse(
    readFileSync(path, "utf8"),
  );
  for (const { row, says } of MEASURED) {
    expect([row, proof[row]?.ok]).toEqual([row, true]);
    expect(proof[row]?.figure).toMatch(says);
  }
});

/** What the commands print today, where nothing has changed. */
const TODAY: Record<string, string> = {
  decisions: "decisions: 1000000 questions, 0 disagreements, 61 outcomes, the rarest 1513 times",
  "one-subscriber":
    "figures: chain: one by one 51/s at 207032 gas (60 of 60), ratio 31.8, p50 22.2 ms, one subscriber 1 operations for 1000 settles at 207 gas (1000 of 1000), receipts 1001 of 1001, forged 0, difference 0",
  "card-crashes": "card crashes: 23 of 23 held, broken rules 0",
};

test.each(MEASURED)("$row may be measured again", ({ row, says }) => {
  const printed = TODAY[row] ?? "";
  expect(readFigure({ id: row, text: "" }, printed)).toMatch(says);
  expect(
    printed.replace("forged 0", "forged 1").replace("0 dis", "1 dis").replace("23 of", "22 of"),
  ).not.toMatch(says);
});
