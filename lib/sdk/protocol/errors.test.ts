import { describe, expect, test } from "vitest";
import * as z from "zod";
import { detailsOf, ErrorEnvelope, InvalidReason } from "./error-envelope.ts";
import { ERRORS, PaymentsError, readErrorCode } from "./errors.ts";

test("the five codes of the specification are the reasons of a refusal (§7.1)", () => {
  expect(InvalidReason.options).toEqual([
    "invalid_token",
    "expired_token",
    "insufficient_balance",
    "invalid_plan",
    "invalid_agent",
  ]);
  for (const code of InvalidReason.options) expect(ERRORS[code].status).toBe(402);
});

describe("PaymentsError", () => {
  test("takes status and hint from its code", () => {
    const error = new PaymentsError("not_found", "Plan 42 does not exist.");
    expect(error).toMatchObject({
      name: "PaymentsError",
      code: "not_found",
      message: "Plan 42 does not exist.",
      httpStatus: 404,
      hint: ERRORS.not_found.hint,
    });
    expect(error).toBeInstanceOf(Error);
  });
  test("carries what else is known", () => {
    const cause = new Error("reset");
    const options = { hint: "Wait.", requestId: "r1", retryAfterSecs: 3, cause };
    expect(new PaymentsError("timeout", "Too late.", options)).toMatchObject(options);
  });
  test("is recognized across copies of the package", () => {
    const foreign = { [Symbol.for("turnpike.payments.error")]: true };
    expect(PaymentsError.is(new PaymentsError("internal", ""))).toBe(true);
    expect(PaymentsError.is(foreign)).toBe(true);
    for (const value of [null, undefined, "x", new Error("x"), {}]) {
      expect(PaymentsError.is(value)).toBe(false);
    }
  });
});

test("a code this version does not know is internal, also one of Object's own names", () => {
  expect(readErrorCode("conflict")).toBe("conflict");
  expect(readErrorCode("brand_new")).toBe("internal");
  expect(readErrorCode("toString")).toBe("internal");
});

test("an envelope needs code, message, status and request id", () => {
  const envelope = { code: "not_found", message: "m", httpStatus: 404, requestId: "r" };
  expect(ErrorEnvelope.parse(envelope)).toEqual(envelope);
  for (const member of Object.keys(envelope)) {
    expect(ErrorEnvelope.safeParse({ ...envelope, [member]: undefined }).success).toBe(false);
  }
});

test("the details of a wrong input name each path", () => {
  const schema = z.object({ a: z.object({ b: z.string() }), c: z.number() });
  const { error } = schema.safeParse({ a: {}, c: 1 });
  expect(detailsOf(error as z.ZodError)).toEqual([
    { path: "a.b", message: expect.stringMatching(/expected string/i) },
  ]);
});
