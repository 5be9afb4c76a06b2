import { expect, test } from "vitest";
import type { StoryStep, StoryStepId } from "@/lib/playground/story-steps.ts";
import { judgeRun } from "./paid-call-verdict.ts";

const ALL = "plan agent order delegation token ask verify call receipt";
const IDS = ALL.split(" ") as StoryStepId[];

const passed = (id: StoryStepId): StoryStep => ({
  id,
  title: id,
  meaning: "",
  ok: true,
  ran: true,
  durationMs: 1,
  facts: {},
  ...(id === "receipt" && { money: "settled" as const, facts: { creditsRedeemed: "1" } }),
});

const passedUntil = (id: StoryStepId) => IDS.slice(0, IDS.indexOf(id)).map(passed);

const failed = (id: StoryStepId, money?: StoryStep["money"]): StoryStep => ({
  ...passed(id),
  ok: false,
  money,
  meaning: "It failed.",
  error: "Because.",
});

test("a run whose steps all pass is settled and shows the credits used", () => {
  const verdict = judgeRun([...IDS.map(passed), passed("balance")], false);
  expect([verdict.money, verdict.title]).toEqual([
    "settled",
    "Paid and settled: 1 credit for one response.",
  ]);
});

test.each<[string, StoryStep[], string | undefined]>([
  ["a failure before payment", [...passedUntil("order"), failed("order")], undefined],
  [
    "a token that verification declines",
    [...passedUntil("verify"), failed("verify", "refused")],
    "refused",
  ],
  [
    "an agent that declines the token",
    [...passedUntil("call"), failed("call", "refused")],
    "refused",
  ],
  ["an agent that fails", [...passedUntil("call"), failed("call", "unknown")], "unknown"],
  [
    "an answer without a receipt",
    [...passedUntil("receipt"), failed("receipt", "delivered-unsettled")],
    "delivered-unsettled",
  ],
  ["a receipt that does not match", [...passedUntil("receipt"), failed("receipt")], "unknown"],
  ["a balance that does not match", [...IDS.map(passed), failed("balance")], "settled"],
])("%s has its own status", (_, steps, money) => {
  const verdict = judgeRun(steps, false);
  expect(verdict.money).toBe(money);
  expect(verdict.advice).toContain("Because.");
});

test("only a run that sent no token claims that no credits were used", () => {
  for (const id of IDS) {
    const steps = [...passedUntil(id), failed(id)];
    const claimsNothing = judgeRun(steps, false).title.includes("No credits were used");
    expect([id, claimsNothing]).toEqual([id, !["call", "receipt"].includes(id)]);
  }
});

test.each([
  ["plan", undefined],
  ["verify", undefined],
  ["call", "unknown"],
  ["receipt", "unknown"],
] as const)("stopping during “%s”", (id, money) => {
  expect(judgeRun(passedUntil(id), true).money).toBe(money);
});
