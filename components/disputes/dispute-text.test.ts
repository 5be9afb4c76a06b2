import { expect, test } from "vitest";
import { disputeState, needsEvidence } from "./dispute-text.ts";

const DEADLINE = "2026-12-05T10:00:00.000Z";
const BEFORE = "2026-12-05T09:59:59.999Z";
const open = { status: "needs_response", respondBy: DEADLINE } as const;

test("a dispute needs evidence until its deadline, and then the bank decides", () => {
  expect([needsEvidence(open, BEFORE), needsEvidence(open, DEADLINE)]).toEqual([true, false]);
  expect(disputeState(open, BEFORE).word).toBe("Response needed");
  expect(disputeState(open, DEADLINE).word).toBe("Bank decides");
});

test("a dispute without a deadline needs evidence, and one that is decided needs none", () => {
  expect(needsEvidence({ status: "needs_response" }, DEADLINE)).toBe(true);
  expect(needsEvidence({ ...open, status: "lost" }, BEFORE)).toBe(false);
  expect(disputeState({ ...open, status: "lost" }, DEADLINE).word).toBe("Lost");
});
