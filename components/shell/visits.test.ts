import { expect, test } from "vitest";
import { readVisits, type Visit, visitsToKeep } from "./visits.ts";

const agent: Visit = { href: "/agents/1", name: "Reader", kind: "Agent" };
const plan: Visit = { href: "/plans/2", name: "Monthly", kind: "Plan" };

test("a visit goes to the top of the recent pages", () => {
  expect(visitsToKeep([plan, agent], agent, undefined)).toEqual([agent, plan]);
  expect(visitsToKeep([agent, plan], agent, undefined)).toBeUndefined();
  expect(visitsToKeep([plan], undefined, undefined)).toBeUndefined();
});

test("two tabs on different pages stop writing after one visit each", () => {
  let stored: Visit[] = [];
  let writes = 0;
  const tabs = [agent, plan].map((visit) => ({ visit, written: undefined as Visit | undefined }));
  for (let turn = 0; turn < 10; turn++) {
    for (const tab of tabs) {
      const visits = visitsToKeep(stored, tab.visit, tab.written);
      tab.written = tab.visit;
      if (!visits) continue;
      stored = visits;
      writes++;
    }
  }
  expect([writes, stored]).toEqual([2, [plan, agent]]);
});

test("what is stored and is no visit is left out", () => {
  expect(readVisits(JSON.stringify([agent, { ...plan, href: "//other.example" }, 1]))).toEqual([
    agent,
  ]);
  expect(readVisits("{")).toEqual([]);
});
