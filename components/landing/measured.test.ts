import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
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
