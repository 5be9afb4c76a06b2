import { describe, expect, test } from "vitest";
import { CAUSES, type Cause, causesFor, payerTextOf, reasonOf, reasonText } from "./causes.ts";
import { describeRefusal, noteRefusal } from "./refusal.ts";

const OWNER = "0xowner";
const PAYER = "0xpayer";
const REDEEMER = "0xredeemer";
const STRANGER = "0xstranger";
type Facts = Parameters<typeof describeRefusal>[0]["facts"];

/** What one of them is told. */
function told(cause: Cause, account: string, plan: object | null = {}, more: object = {}) {
  const callerIsRedeemer = account === REDEEMER;
  const facts = {
    plan: plan && { owner: OWNER, redemptionType: 2, callerIsRedeemer, ...plan },
    caller: { account, isUsable: true, isOperator: false },
  } as Facts;
  return describeRefusal({ cause, payer: PAYER, facts, ...more });
}

describe("T57: a refusal", () => {
  test("tells the plan's owner everything", () => {
    expect(told("token_revoked", OWNER)).toEqual({
      reason: "invalid_token",
      message: "This access token was revoked. Mint a new one.",
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
      message: "The access token is not valid. Mint a new one.",
      detail: "unknown_token",
    });
  });
});

test("T57: the page of an approval goes to those it concerns, and to no stranger", () => {
  const approval = { approvalId: "apr_1", url: "https://pay.example/approvals/apr_1" };
  const described = (account: string) => told("pending_approval", account, {}, { approval });
  for (const account of [OWNER, PAYER, REDEEMER])
    expect(described(account)).toMatchObject({ approval });
  expect(described(STRANGER)).not.toHaveProperty("approval");
});

describe("T57: a refused attempt", () => {
  const NOW = new Date("2030-01-01T00:00:00Z");
  const ATTEMPT = {
    builder: REDEEMER,
    agentRequestId: "req_1",
    at: NOW,
    method: "POST",
    path: "/ask",
    planId: "42",
    agentId: "7",
    payer: PAYER,
    tokenId: "jti_1",
    delegationId: "del_1",
    cause: "no_credits",
  };

  /** What both sides' activity is given: nothing, or one attempt. */
  function noted({
    account = REDEEMER,
    payer = PAYER as string | null,
    plan = { owner: OWNER, redemptionType: 2, callerIsRedeemer: true } as object | null,
    agent = { owner: OWNER } as object | null,
    isSound = true,
    reserve = true,
    extra = { httpVerb: "POST", agentId: "7" } as object | null,
    resource = { url: "https://agent.example/ask?q=1" } as object | null,
    authorization = { agentId: "6", delegationId: "del_1" } as object,
  }) {
    const attempts: unknown[] = [];
    const ports = { refusals: { note: (attempt: unknown) => attempts.push(attempt) } };
    const accepts = [
      { planId: "41", extra: { httpVerb: "GET", agentId: "1" } },
      { planId: "42", ...(extra && { extra }) },
    ];
    const token = { payload: { authorization: { planId: "42", ...authorization } } };
    const [context, request, refused] = [
      { ports },
      { requirement: { accepts, ...(resource && { resource }) }, agentRequestId: "req_1", reserve },
      {
        cause: "no_credits",
        payer,
        facts: { plan, agent, caller: { account }, now: NOW },
        inspected: { isSound, token, jti: "jti_1" },
      },
    ] as unknown as Parameters<typeof noteRefusal>;
    noteRefusal(context, request, refused);
    return attempts;
  }

  test("is handed to the activity of both sides", () => {
    expect(noted({})).toEqual([ATTEMPT]);
    expect(noted({ reserve: false })).toEqual([ATTEMPT]);
  });

  test.each<[string, Parameters<typeof noted>[0], object]>([
    ["an offer of no agent: the token's", { extra: { httpVerb: "POST" } }, { agentId: "6" }],
    ["neither", { extra: { httpVerb: "POST" }, authorization: {} }, { agentId: null }],
    ["an agent of another builder", { agent: { owner: STRANGER } }, { agentId: null }],
    ["an agent that is not known", { agent: null }, { agentId: null }],
    ["an offer that says no more", { extra: null }, { method: "", agentId: "6" }],
    ["no resource", { resource: null }, { path: "" }],
    ["no delegation", { authorization: { agentId: "6" } }, { delegationId: "" }],
  ])("with %s", (_, given, expected) => {
    expect(noted(given)).toMatchObject([expected]);
  });

  test.each<[string, Parameters<typeof noted>[0]]>([
    ["whose payer is not known", { payer: null }],
    ["at no plan", { plan: null }],
    ["with a token that is not proven", { isSound: false }],
    ["by someone who may not redeem the plan", { plan: { owner: OWNER, redemptionType: 2 } }],
    ["by the payer, who only asks", { account: PAYER, reserve: false }],
  ])("%s is none", (_, given) => {
    expect(noted(given)).toEqual([]);
  });

  test("by a payer who may redeem the plan, and reserves, is one", () => {
    expect(noted({ account: PAYER })).toEqual([{ ...ATTEMPT, builder: PAYER }]);
  });
});

test("a reason has its causes, and another code none", () => {
  expect(causesFor("insufficient_balance")).toContain("no_credits");
  expect(causesFor("invalid_token")).not.toContain("no_credits");
  expect(causesFor("rate_limited")).toEqual([]);
});

test("each text for a payer says what is wrong and what to do, and every reason has one", () => {
  for (const cause of Object.keys(CAUSES) as Cause[]) {
    const text = payerTextOf(cause);
    if (text !== undefined) expect(text.split(/[.;] |\.$/).length, cause).toBeGreaterThan(2);
    expect(reasonText(reasonOf(cause))).toMatch(/^The .*\.$|^There .*\.$/);
  }
});
