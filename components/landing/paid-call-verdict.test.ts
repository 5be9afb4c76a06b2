import { expect, test } from "vitest";
import type { PaidCallStep } from "./paid-call-step.ts";
import { judgeRun } from "./paid-call-verdict.ts";

const IDS = ["plan", "agent", "order", "delegation", "token", "ask", "verify", "call", "receipt"];

const held = (id: string): PaidCallStep => ({
  id,
  title: id,
  meaning: "",
  ok: true,
  ran: true,
  durationMs: 1,
  facts: {},
  ...(id === "receipt" && { money: "settled" as const, facts: { creditsRedeemed: "1" } }),
});

const heldUntil = (id: string) => IDS.slice(0, IDS.indexOf(id)).map(held);

const broken = (id: string, money?: PaidCallStep["money"]): PaidCallStep => ({
  ...held(id),
  ok: false,
  money,
  meaning: "It broke.",
  error: "Because.",
});

test("a run whose steps all held is settled and says what it took", () => {
  const verdict = judgeRun([...IDS.map(held), held("balance")], false);
  expect([verdict.money, verdict.title]).toEqual([
    "settled",
    "Paid and settled: 1 credit for one answer.",
  ]);
});

test.each<[string, PaidCallStep[], string | undefined]>([
  ["a break before payment", [...heldUntil("order"), broken("order")], undefined],
  ["a token that verify refuses", [...heldUntil("verify"), broken("verify", "refused")], "refused"],
  ["an agent that refuses the token", [...heldUntil("call"), broken("call", "refused")], "refused"],
  ["an agent that fails", [...heldUntil("call"), broken("call", "unknown")], "unknown"],
  [
    "an answer without a receipt",
    [...heldUntil("receipt"), broken("receipt", "delivered-unsettled")],
    "delivered-unsettled",
  ],
  ["a receipt that does not match", [...heldUntil("receipt"), broken("receipt")], "unknown"],
  ["a balance that does not match", [...IDS.map(held), broken("balance")], "settled"],
])("%s has its own word", (_, steps, money) => {
  const verdict = judgeRun(steps, false);
  expect(verdict.money).toBe(money);
  expect(verdict.advice).toContain("Because.");
});

test("only a run that sent no token may say that no credits were used", () => {
  for (const id of IDS) {
    const steps = [...heldUntil(id), broken(id)];
    const claimsNothing = judgeRun(steps, false).title.includes("No credits were used");
    expect([id, claimsNothing]).toEqual([id, !["call", "receipt"].includes(id)]);
  }
});

test.each([
  ["plan", undefined],
  ["verify", undefined],
  ["call", "unknown"],
  ["receipt", "unknown"],
])("stopping while ‘%s’ runs", (id, money) => {
  expect(judgeRun(heldUntil(id), true).money).toBe(money);
});
