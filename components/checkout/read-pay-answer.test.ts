import { UnrecognizedActionError } from "next/dist/client/components/unrecognized-action-error.js";
import { expect, test } from "vitest";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { OUTDATED } from "../forms/answer-of.ts";
import { type Paid, readPayAnswer } from "./read-pay-answer.ts";

const failed = (code: "internal" | "unavailable" | "outcome_unknown" | "payment_refused") =>
  ({
    ...{ ok: false, code, message: "It failed.", hint: "Try again.", details: [] },
    requestId: "request",
  }) as const satisfies ActionAnswer<Paid>;

test("a payment that may have been made is looked up, and not called failed", async () => {
  const lost = { ok: true, data: { isLost: true } };
  expect(await readPayAnswer(Promise.reject(new Error("The connection was lost.")))).toEqual(lost);
  for (const code of ["internal", "unavailable", "outcome_unknown"] as const) {
    expect(await readPayAnswer(Promise.resolve(failed(code)))).toEqual(lost);
  }
  const declined = failed("payment_refused");
  expect(await readPayAnswer(Promise.resolve(declined))).toBe(declined);
  const details = [{ path: "order", message: "sales_stopped" }];
  const stopped = { ...failed("unavailable"), details };
  expect(await readPayAnswer(Promise.resolve(stopped))).toBe(stopped);
  const paid = { ok: true, data: { orderId: "1" } } as const;
  expect(await readPayAnswer(Promise.resolve(paid))).toBe(paid);
});

test("a payment from a page that is out of date was not made", async () => {
  const paying = Promise.reject(new UnrecognizedActionError("Server Action was not found."));
  expect(await readPayAnswer(paying)).toBe(OUTDATED);
});
