import type { ErrorCode } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import type { ActionError } from "../forms/action-answer.ts";
import { attemptAfter } from "./withdrawal-attempt.ts";

const FIRST = { key: "key", isUnknown: false };
const UNKNOWN = { key: "key", isUnknown: true };

const refusal = (code: ErrorCode): ActionError => ({
  ...{ ok: false, code, message: "Failed.", hint: "Wait.", details: [], requestId: "request" },
});

test("a withdrawal that was refused or made is not repeated: the next one has a new key", () => {
  expect(attemptAfter(FIRST, refusal("payment_refused"))).toBeUndefined();
  expect(attemptAfter(FIRST, refusal("rate_limited"))).toBeUndefined();
  const data = { withdrawalId: "withdrawal", status: "paid" as const };
  expect(attemptAfter(UNKNOWN, { ok: true, data })).toBeUndefined();
});

test("a withdrawal keeps its key while its outcome is unknown, or the person has to confirm", () => {
  expect(attemptAfter(FIRST, null)).toEqual(UNKNOWN);
  expect(attemptAfter(FIRST, refusal("internal"))).toEqual(UNKNOWN);
  expect(attemptAfter(FIRST, refusal("step_up_required"))).toEqual(FIRST);
  expect(attemptAfter(UNKNOWN, refusal("step_up_required"))).toEqual(UNKNOWN);
});

test("only an answer about the withdrawal settles one whose outcome is unknown", () => {
  for (const code of ["rate_limited", "unauthorized", "rail_unavailable"] as const) {
    expect(attemptAfter(UNKNOWN, refusal(code))).toEqual(UNKNOWN);
  }
  expect(attemptAfter(UNKNOWN, refusal("payment_refused"))).toBeUndefined();
});
