import { describe, expect, test } from "vitest";
import { CAUSES, type Cause, payerTextOf, reasonOf, reasonText } from "./causes.ts";
import { describeRefusal } from "./refusal.ts";

const OWNER = "0xowner";
const PAYER = "0xpayer";
const REDEEMER = "0xredeemer";
const STRANGER = "0xstranger";
type Facts = Parameters<typeof describeRefusal>[0]["facts"];

/** What one of them is told. */
function told(cause: Cause, account: string, plan: object | null = {}) {
  const callerIsRedeemer = account === REDEEMER;
  const facts = {
    plan: plan && { owner: OWNER, redemptionType: 2, callerIsRedeemer, ...plan },
    caller: { account, isUsable: true, isOperator: false },
  } as Facts;
  return describeRefusal({ cause, payer: PAYER, facts });
}

describe("T57: a refusal", () => {
  test("tells the plan's owner everything", () => {
    expect(told("token_revoked", OWNER)).toEqual({
      reason: "invalid_token",
      message: "This access token was revoked. Generate a new one.",
      cause: "token_revoked",
      detail: "token_revoked",
      payer: PAYER,
    });
  });

  test("tells the owner about their setup, without a remedy for the payer", () => {
    expect(told("plan_not_linked", OWNER)).toEqual({
      reason: "invalid_agent",
      message: "The access token is for another agent or endpoint.",
      detail: "plan_not_linked",
      payer: PAYER,
    });
  });

  test.each([PAYER, REDEEMER])("tells %s what concerns the payer, and no more", (account) => {
    expect(told("no_credits", account)).toEqual({
      reason: "insufficient_balance",
      message: "There are not enough credits. Order the plan.",
      cause: "no_credits",
    });
    expect(told("plan_not_linked", account)).toEqual({
      reason: "invalid_agent",
      message: "The access token is for another agent or endpoint.",
    });
  });

  test.each(Object.keys(CAUSES) as Cause[])("tells a stranger only the reason of %s", (cause) => {
    const reason = reasonOf(cause);
    expect(told(cause, STRANGER)).toEqual({ reason, message: reasonText(reason) });
    expect(told(cause, STRANGER, null)).toEqual({ reason, message: reasonText(reason) });
  });

  test("names no payer who is not known", () => {
    const facts = { plan: { owner: OWNER }, caller: { account: OWNER } } as Facts;
    expect(describeRefusal({ cause: "unknown_token", payer: null, facts })).toEqual({
      reason: "invalid_token",
      message: "The access token is not valid. Generate a new one.",
      detail: "unknown_token",
    });
  });
});

test("each text for a payer says what is wrong and what to do, and every reason has one", () => {
  for (const cause of Object.keys(CAUSES) as Cause[]) {
    const text = payerTextOf(cause);
    if (text !== undefined) expect(text.split(/[.;] |\.$/).length, cause).toBeGreaterThan(2);
    expect(reasonText(reasonOf(cause))).toMatch(/^The .*\.$|^There .*\.$/);
  }
});
