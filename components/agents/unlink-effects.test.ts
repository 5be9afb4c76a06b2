import { expect, test } from "vitest";
import { unlinkEffects } from "./unlink-effects.ts";

const titles = (subscribers: number, otherAgents: number) =>
  unlinkEffects({ subscribers, otherAgents }).map(({ title }) => title);

test("unlinking a plan from its only agent names the subscribers who can’t use it afterwards", () => {
  expect(titles(2, 0)).toContain("2 subscribers have a plan that no agent accepts");
  expect(titles(1, 0)).toContain("1 subscriber has a plan that no agent accepts");
  expect(titles(1, 2)).toContain("1 subscriber can use it at 2 other agents");
  expect(titles(0, 0)).toContain("It has no subscribers");
});
