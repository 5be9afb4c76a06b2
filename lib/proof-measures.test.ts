import { expect, test } from "vitest";
import { measureReads } from "../scripts/proof/measure.ts";

test("a read that fails has no time, and is named", async () => {
  const fail = async () => {
    throw new Error("relation does not exist");
  };
  const reading = measureReads({ "series, month": fail });
  await expect(reading).rejects.toThrow("series, month: relation does not exist");
});
