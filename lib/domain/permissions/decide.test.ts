import { PaymentsError, toJson } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { inFull } from "@/lib/testing/in-full.ts";
import { CAUSES } from "./causes.ts";
import { decide, type Question } from "./decide.ts";
import {
  type GeneratedQuestion,
  generateQuestions,
  SMALL_COUNT,
} from "./testing/generated-questions.ts";
import {
  type Change,
  type Draft,
  draftQuestion,
  holdOf,
  PAYER,
  type Random,
} from "./testing/question-draft.ts";
import type { Reading } from "./testing/second-case.ts";
import { secondReading } from "./testing/second-reading.ts";

// Each mutant of the mutation score asks fewer, and the first disagreement has found it.
const IS_MUTANT = process.env.DECISIONS !== undefined;
const COUNT = Number(process.env.DECISIONS ?? inFull(1_000_000, 40_000));
const RAREST = IS_MUTANT ? 1 : Math.min(50, COUNT / 800);
const SEED = 20_260_101;
/** What only the payment of an order says. */
const OF_ORDERS = [
  "balance_full",
  "too_many_orders",
  "declined",
  "authentication_required",
  "insufficient_funds",
  "gas_budget",
  "price_too_low",
  "limit_exceeded",
  "grant_revoked",
  "grant_ended",
  "not_permitted",
  "paused",
];

const SETTLED = {
  fingerprint: "",
  settlementId: "settlement_1",
  amount: 1n,
  remaining: 5n,
  orderTx: null,
  transaction: "",
  chainStatus: "none",
  planId: "42",
  network: "eip155:84532",
} as const;

/** An answer as text: without its words, and with its rail by name. */
function textOf(read: (question: Question) => Reading, question: Question): string {
  const answer = answerOf(read, question);
  if (answer.kind === "reject") {
    const { detail: _, ...rest } = { detail: undefined, ...answer };
    return toJson({ ...rest, message: "" });
  }
  if (!("permission" in answer)) return toJson(answer);
  const { permission, ...rest } = answer;
  return toJson({ ...rest, ...permission, rail: permission.rail.scheme });
}

function answerOf(read: (question: Question) => Reading, question: Question): Reading {
  try {
    return read(question);
  } catch (error) {
    if (PaymentsError.is(error)) return { kind: "throw", code: error.code };
    throw error;
  }
}

type Disagreement = { changes: readonly string[]; decided: string; read: string; question: string };

function compare({ question, changes }: GeneratedQuestion): Disagreement | { outcome: string } {
  const decided = textOf(decide, question);
  const read = textOf(secondReading, question);
  if (decided === read) {
    const { kind, cause, code } = JSON.parse(decided);
    return { outcome: cause ?? code ?? kind };
  }
  const { rails: _, ...shown } = question;
  return { changes, decided, read, question: toJson(shown) };
}

test("decide agrees with a second reading of the documents on every generated question", {
  timeout: 30_000 + COUNT,
}, () => {
  expect(COUNT).toBeGreaterThan(SMALL_COUNT);
  const counts = new Map<string, number>();
  let smallest: Disagreement | undefined;
  let disagreements = 0;
  for (const generated of generateQuestions({ seed: SEED, count: COUNT })) {
    const found = compare(generated);
    if ("outcome" in found) {
      counts.set(found.outcome, (counts.get(found.outcome) ?? 0) + 1);
      continue;
    }
    disagreements += 1;
    if (!smallest || found.changes.length < smallest.changes.length) smallest = found;
    if (IS_MUTANT) break;
  }
  const sorted = [...counts].sort(([, a], [, b]) => a - b);
  console.info(
    `decisions: ${COUNT} questions, ${disagreements} disagreements, ${counts.size} outcomes, the rarest ${sorted[0]?.[1]} times, seed ${SEED}\n` +
      sorted.map(([outcome, count]) => `${outcome} ${count}`).join(", "),
  );
  expect(smallest, `seed ${SEED}`).toBeUndefined();
  const wanted = Object.keys(CAUSES).filter((cause) => !OF_ORDERS.includes(cause));
  expect(wanted.filter((cause) => (counts.get(cause) ?? 0) < RAREST)).toEqual([]);
});

describe("decided from the documents, where the two readings differed:", () => {
  /** The first of everything: a subscriber's fixed plan of 3 credits, with credits in surplus. */
  const first: Random = {
    pick: <T>(from: readonly T[]) => from[0] as T,
    chance: (percent) => percent > 50,
  };
  function ask(intent: Question["intent"], change: (draft: Draft) => void) {
    const draft = draftQuestion(intent, first);
    change(draft);
    return decide(draft.question);
  }

  test("a request that is reserved for one token is not settled by another", () => {
    const settled = ask("settle", ({ question: { facts }, amount }) => {
      facts.hold = { ...holdOf(first, amount), jti: "jti_2" };
    });
    expect(settled).toMatchObject({
      kind: "reject",
      code: "idempotency_conflict",
      message: expect.stringMatching(/^The request id ".+" was used for another request\.$/),
    });
  });

  test.each([
    ["posted", 'The request "ID" is settled. Nothing was reserved.', "settled"],
    ["expired", 'The reservation of the request "ID" has expired.', "expired"],
  ] as const)(
    "a repeat of a request whose hold is %s is told so, and one by another token is not",
    (state, message, detail) => {
      const asked = (jti?: string) =>
        ask("reserve", ({ question: { facts, request }, amount }) => {
          request.agentRequestId = "ID";
          facts.hold = { ...holdOf(first, amount), state, isUsable: false, ...(jti && { jti }) };
        });
      const code = "idempotency_conflict";
      expect(asked()).toMatchObject({ kind: "reject", code, message, detail });
      expect(asked("jti_2")).toMatchObject({
        message: 'The request id "ID" was used for another request.',
      });
    },
  );

  test.each<[string, Change]>([
    ["its price is higher", ({ accepted }) => Object.assign(accepted, { amount: "0" })],
    ["its plan is not offered", ({ offer }) => Object.assign(offer, { planId: "43" })],
    [
      "its plan is sold by card",
      ({ accepted }) => Object.assign(accepted, { scheme: "svc:card-delegation" }),
    ],
    [
      "its plan does not pay for the agent",
      ({ agent }) => Object.assign(agent, { isLinked: false }),
    ],
  ])(
    "a request that its token has used is told so, and another one refused: %s now",
    (_, change) => {
      const asked = (isUsed: boolean) =>
        ask("reserve", (draft) => {
          const { question, amount } = draft;
          const used = { ...holdOf(first, amount), state: "posted", isUsable: false } as const;
          question.holder = "signed";
          question.facts.hold = isUsed ? used : null;
          change(draft, first);
        });
      expect(asked(true)).toMatchObject({ code: "idempotency_conflict", detail: "settled" });
      expect(asked(false)).toMatchObject({ kind: "refuse" });
    },
  );

  test("a request that another account settled is used, and its own repeat is told that it is settled", () => {
    const asked = (account: string) =>
      ask("reserve", ({ question: { facts, request, inspected } }) => {
        request.agentRequestId = "ID";
        const payer = inspected.isSound ? inspected.token.payload.authorization.from : "";
        facts.settlement = { ...SETTLED, account: account || payer };
      });
    expect(asked("")).toMatchObject({ detail: "settled" });
    expect(asked("0xother")).toMatchObject({
      message: 'The request id "ID" was used for another request.',
    });
  });

  test("an account that never ordered a trial is told to order it, one that used it up is not", () => {
    const refusedWith = (balance: Question["facts"]["balance"]) =>
      ask("settle", ({ question: { facts }, plan }) => {
        plan.isTrial = true;
        facts.balance = balance;
      });
    expect(refusedWith(null)).toMatchObject({ cause: "no_credits" });
    const used = { available: 0n, held: 0n, debt: 0n, isLive: true };
    expect(refusedWith(used)).toMatchObject({ cause: "trial_used_up" });
  });

  test("credits whose time is over are in no balance", () => {
    const checked = ask("check", ({ question: { facts } }) => {
      facts.balance = { available: 50n, held: 2n, debt: 0n, isLive: false };
    });
    expect(checked).toMatchObject({ kind: "allow", needsOrder: true, permission: { balance: 2n } });
  });

  test("an order whose credits the debt would take is not placed", () => {
    const asked = (debt: (granted: bigint, amount: bigint) => bigint) =>
      ask("settle", ({ question: { facts }, plan: { newest }, amount }) => {
        facts.balance = {
          available: 0n,
          held: 0n,
          debt: debt(newest.granted, amount),
          isLive: true,
        };
      });
    const enough = asked((granted, amount) => granted - amount);
    expect(enough).toMatchObject({ kind: "order" });
    const short = asked((granted, amount) => granted - amount + 1n);
    expect(short).toMatchObject({ kind: "refuse", cause: "credits_owed" });
  });

  test("what is reserved for one call is not reserved for another under the same id", () => {
    const reserved = (isSameCall: boolean) =>
      ask("reserve", ({ question: { facts }, amount }) => {
        facts.hold = { ...holdOf(first, amount), isSameCall };
      });
    expect(reserved(true)).toMatchObject({ kind: "allow", isRepeat: true });
    expect(reserved(false)).toMatchObject({ kind: "reject", code: "idempotency_conflict" });
  });

  test.each([
    ["approved", "usd", { kind: "allow", needsOrder: true }],
    ["used", "usd", { kind: "refuse", cause: "pending_approval" }],
    ["approved", "xau", { kind: "refuse", cause: "pending_approval" }],
  ] as const)(
    "one order for each approval, in its currency: %s, in %s",
    (state, currency, expected) => {
      const checked = ask("check", ({ question: { facts }, delegation, amount }) => {
        expect(delegation.currency).toBe("usd");
        facts.balance = null;
        facts.budgets = {
          room: [],
          asks: { above: null, currency: null, aboveCredits: null, reason: "new-builder" },
          approval: { state, maxCents: 10n ** 9n, currency, maxCredits: amount },
        };
      });
      expect(checked).toMatchObject(expected);
    },
  );

  test("T57: a token that is not known names no payer, whatever account it names", () => {
    const refused = ask("check", ({ question: { facts }, document }) => {
      expect(document.authorization.from).toBe(PAYER);
      facts.token = null;
    });
    expect(refused).toEqual({ kind: "refuse", cause: "unknown_token", payer: null });
  });
});
