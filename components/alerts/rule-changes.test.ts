import type { AlertRule } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import {
  afterChange,
  afterFailure,
  type RuleChange,
  type RuleQueue,
  ruleInput,
  ruleNow,
  setChannel,
  thresholdKey,
} from "./rule-changes.ts";

const rule: AlertRule = {
  ruleId: "built-in-1",
  kind: "credits-days",
  threshold: 3,
  channels: ["email"],
  isOn: true,
  isBuiltIn: true,
};

test("a change that waits is made to what the rule became", () => {
  const threshold: RuleChange = { rule, changesOf: () => ({ threshold: 5 }) };
  const other = { ...rule, ruleId: "other" };
  const waiting: RuleChange[] = [
    { rule, changesOf: setChannel("webhook", true) },
    { rule: other, changesOf: () => ({ isOn: false }) },
  ];
  const changed = { ...rule, ruleId: "own-1", isBuiltIn: false, threshold: 5 };
  const left = afterChange(waiting, threshold, changed);
  expect(left.map((change) => change.rule)).toEqual([changed, other]);
  const now = ruleNow([changed, other], left[0]?.rule ?? rule);
  expect(left[0]?.changesOf?.(now)).toEqual({ channels: ["email", "webhook"] });
});

test("two channels that are switched one after the other are both kept", () => {
  const first = { ...rule, channels: [], ...setChannel("email", true)({ ...rule, channels: [] }) };
  expect(setChannel("webhook", true)(first)).toEqual({ channels: ["email", "webhook"] });
  expect(setChannel("email", false)(first)).toEqual({ channels: [] });
  expect(setChannel("email", true)(first)).toEqual({ channels: ["email"] });
});

test("a built-in rule that got another ID with the others of its kind is found by what it says", () => {
  const own = { ...rule, ruleId: "own-1", isBuiltIn: false };
  expect(ruleNow([{ ...own, ruleId: "own-2", threshold: 7 }, own], rule)).toEqual(own);
  expect(ruleNow([], rule)).toEqual(rule);
});

test("a failed change, and those it discards, leave the saved thresholds in their fields", () => {
  const other = { ...rule, ruleId: "other" };
  const third = { ...rule, ruleId: "third" };
  const typed = (of: AlertRule): RuleChange => ({ rule: of, changesOf: () => ({ threshold: 77 }) });
  const queue: RuleQueue = { waiting: [typed(other), typed(rule)], discarded: new Map() };
  const keys = (of: RuleQueue) => [rule, other, third].map((one) => thresholdKey(one, of));
  const failed = afterFailure(queue, typed(rule));
  expect(failed.waiting).toEqual([]);
  const [first, second, last] = keys(queue);
  const [firstAfter, secondAfter, lastAfter] = keys(failed);
  expect(firstAfter).not.toBe(first);
  expect(secondAfter).not.toBe(second);
  // What is typed for another rule stays.
  expect(lastAfter).toBe(last);
  // The same again.
  expect(keys(afterFailure(failed, typed(rule)))[0]).not.toBe(firstAfter);
  // Saved, here or elsewhere.
  expect(thresholdKey({ ...rule, threshold: 77 }, queue)).not.toBe(first);
});

test("a rule that was removed is added again as it was", () => {
  const own = { ...rule, ruleId: "own-1", isBuiltIn: false, isOn: false, object: "42" };
  const { ruleId: _, isBuiltIn: __, ...input } = own;
  expect(ruleInput(own)).toEqual(input);
  expect(ruleInput({ ...rule, channels: [] })).not.toHaveProperty("object");
});
