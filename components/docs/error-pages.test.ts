import { ERRORS, type ErrorCode, PaymentsError } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { causesOf } from "@/app/docs/errors/[code]/causes-of.ts";
import { ERROR_TITLES } from "@/lib/console/error-titles.ts";
import { readErrorTexts } from "@/lib/server/guides.ts";
import { errorAnswer } from "@/lib/server/pipeline/error-answer.ts";
import { errorExample } from "./error-example.ts";

const ORIGIN = "https://turnpike.example";
const codes = Object.keys(ERRORS) as ErrorCode[];
const log = { info: () => {}, warn: () => {}, error: () => {} };

test.each(codes)("%s has a title, its cause and its remedy", (code) => {
  expect(ERROR_TITLES[code]).toMatch(/^[A-Z]/);
  const text = readErrorTexts().get(code) ?? "";
  expect(text).toMatch(/^\*\*Cause\.\*\* [A-Z].{20,}/s);
  expect(text).toMatch(/\n\*\*Remedy\.\*\* [A-Z].{10,}/s);
});

test.each(codes)(
  "an answer with %s links to its page, and has the members of the example",
  async (code) => {
    const answer = errorAnswer(new PaymentsError(code, "No."), "1", { log, origin: ORIGIN });
    const body = await answer.json();
    expect(body.docs).toBe(`${ORIGIN}/docs/errors/${code}`);
    expect(body.title).toBe(ERROR_TITLES[code]);
    if (ERRORS[code].status === 0) return;
    const { details: _, ...example } = errorExample(code, ORIGIN);
    expect(Object.keys(example)).toEqual(Object.keys(body));
  },
);

test("no text is left over", () => {
  expect([...readErrorTexts().keys()]).toEqual(codes);
});

test("the five reasons list their causes, each with what to do", () => {
  const reasons = codes.filter((code) => causesOf(code).length > 0);
  expect(reasons).toEqual([
    "invalid_token",
    "expired_token",
    "insufficient_balance",
    "invalid_plan",
    "invalid_agent",
  ]);
  expect(causesOf("insufficient_balance").map(({ cause }) => cause)).toContain("budget_per_day");
});
