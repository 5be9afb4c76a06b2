import { expect, test } from "vitest";
import { leftOutText, readEarningsView } from "./earnings-view.ts";

test("says whether the payments of test customers count, as they do in Balance", () => {
  expect(leftOutText(readEarningsView({}))).toContain("left out");
  expect(leftOutText(readEarningsView({ tests: "1" }))).toContain("included");
});
