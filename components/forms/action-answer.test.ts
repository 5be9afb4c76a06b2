import { expect, test } from "vitest";
import { errorText, failingOf, isPageStale, isUnknown, isUnknownError } from "./action-answer.ts";

test("an error's text says what to do, without the hint for callers of the API", () => {
  const message = "“foo” is not a type of event.";
  expect(errorText({ message, hint: "Fix the fields listed in `details`." })).toBe(message);
  const details = [{ path: "address", message: "Expected an email address." }];
  const wrong = { message: "address: Expected an email address.", details };
  expect(errorText({ ...wrong, hint: "Fix the fields listed in `details`." })).toBe(
    "Expected an email address.",
  );
  expect(errorText({ message, hint: "Choose one of the list." })).toBe(
    `${message} Choose one of the list.`,
  );
});

test("the outcome is unknown where no answer arrived, or the service cannot tell", () => {
  expect(isUnknown({ failure: "Lost." })).toBe(true);
  expect(isUnknown({ failure: "Pending.", failureCode: "outcome_unknown" })).toBe(true);
  // Either can follow a payment that was begun, and a repeat under the same key is safe.
  expect(isUnknown({ failure: "Failed.", failureCode: "internal" })).toBe(true);
  expect(isUnknown({ failure: "Busy.", failureCode: "unavailable" })).toBe(true);
  expect(isUnknown({ failure: "Closed.", failureCode: "rail_unavailable" })).toBe(false);
  expect(isUnknown({ failure: "Declined.", failureCode: "payment_refused" })).toBe(false);
  expect(isUnknown({ failure: undefined })).toBe(false);
});

test("an order or payout that stopped sales refuse was certainly not begun", () => {
  const error = { ok: false, message: "Stopped.", hint: "Wait.", requestId: "request" } as const;
  expect(isUnknownError({ ...error, code: "unavailable", details: [] })).toBe(true);
  const details = [{ path: "order", message: "sales_stopped" }];
  expect(isUnknownError({ ...error, code: "unavailable", details })).toBe(false);
});

test("what is shown of an error still says whether its outcome is unknown", () => {
  const error = { ok: false, message: "Failed.", hint: "Wait.", requestId: "request" } as const;
  expect(isUnknown(failingOf(null))).toBe(true);
  expect(isUnknown(failingOf({ ...error, code: "internal", details: [] }))).toBe(true);
  const refused = failingOf({ ...error, code: "forbidden", details: [] });
  expect(isUnknown(refused)).toBe(false);
  expect(refused.failure).toBe("Failed. Wait.");
  const details = [{ path: "order", message: "sales_stopped" }];
  expect(isUnknown(failingOf({ ...error, code: "unavailable", details }))).toBe(false);
});

test("a page is read again after a change, a possible one and a stale one, and not after another refusal", () => {
  const refused = { ok: false, message: "No.", hint: "", requestId: "r" } as const;
  const error = { ...refused, details: [] };
  expect(isPageStale({ ok: true, data: null })).toBe(true);
  for (const code of ["internal", "unavailable", "outcome_unknown"] as const) {
    expect(isPageStale({ ...error, code })).toBe(true);
  }
  // As after the same action in another tab: the page still offers it.
  for (const code of ["conflict", "not_found"] as const) {
    expect(isPageStale({ ...error, code })).toBe(true);
  }
  for (const code of ["invalid_input", "rate_limited", "step_up_required"] as const) {
    expect(isPageStale({ ...error, code })).toBe(false);
  }
  const details = [{ path: "order", message: "sales_stopped" }];
  expect(isPageStale({ ...error, code: "unavailable", details })).toBe(false);
});
