import { expect, test } from "vitest";
import { planLeft } from "./plan-left.ts";

const PLAN = { planId: "1", name: "Pro", version: 1, held: "0", used: "0" };

test.each([
  ["credits", "96", true, "96 credits left"],
  ["credits", "1", true, "1 credit left"],
  ["credits", "0", false, "0 credits left"],
  ["time", "1", true, "Access"],
  ["time", "1", false, "No access"],
] as const)("%s of %s, active: %s, read %j", (accessLimit, available, isActive, text) => {
  expect(planLeft({ ...PLAN, accessLimit, available, isActive })).toBe(text);
});
