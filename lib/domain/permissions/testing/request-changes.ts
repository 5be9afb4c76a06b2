import { type Change, FINGERPRINT, type Hold, holdOf, JTI, NOW, PAYER } from "./question-draft.ts";

const ofFunds: Record<string, Change> = {
  "amount not asked": ({ question: { request } }) => {
    request.maxAmount = undefined;
  },
  "amount below the minimum": ({ question: { request }, plan }) => {
    request.maxAmount = plan.minAmount - 1n;
  },
  "amount at the minimum": ({ question: { request }, plan }) => {
    request.maxAmount = plan.minAmount;
  },
  "amount at the maximum": ({ question: { request }, plan }) => {
    request.maxAmount = plan.maxAmount;
  },
  "amount above the maximum": ({ question: { request }, plan }) => {
    request.maxAmount = plan.maxAmount + 1n;
  },
  "never ordered": ({ question: { facts } }) => {
    facts.balance = null;
  },
  "short by one": ({ question: { facts }, plan, amount }) => {
    if (plan.accessLimit === "credits") {
      facts.balance = { available: amount - 1n, held: 4n, debt: 0n, isLive: true };
    }
  },
  "just enough": ({ question: { facts }, plan, amount }) => {
    const isTime = plan.accessLimit === "time";
    facts.balance = { available: isTime ? 1n : amount, held: 0n, debt: 0n, isLive: true };
  },
  "time taken back": ({ question: { facts }, plan }) => {
    if (plan.accessLimit === "time")
      facts.balance = { available: 0n, held: 0n, debt: 0n, isLive: true };
  },
  "owes all that an order grants": ({ question: { facts }, plan }) => {
    if (plan.accessLimit === "time") return;
    facts.balance = { available: 0n, held: 0n, debt: plan.newest.granted, isLive: true };
  },
  "an order is just enough after the debt": ({ question: { facts }, plan, amount }) => {
    if (plan.accessLimit === "time" || plan.newest.granted < amount) return;
    const debt = plan.newest.granted - amount;
    facts.balance = { available: 0n, held: 0n, debt, isLive: true };
  },
  "balance ended": ({ question: { facts }, amount }) => {
    facts.balance = { available: amount + 1n, held: 1n, debt: 0n, isLive: false };
  },
};

const hold =
  (change: (hold: Hold) => Partial<Hold>): Change =>
  ({ question: { facts }, amount }, random) => {
    const made = holdOf(random, amount);
    facts.hold = { ...made, ...change(made) };
  };
const ended = (state: "posted" | "released" | "expired", jti = JTI) =>
  hold(() => ({ state, jti, isUsable: false }));

const settled =
  (fingerprint: string, state: Change): Change =>
  (draft, random) => {
    state(draft, random);
    draft.question.facts.settlement = {
      fingerprint,
      settlementId: "settlement_1",
      amount: draft.amount,
      remaining: 5n,
      orderTx: null,
      transaction: "",
      chainStatus: "none",
      account: PAYER,
      planId: "42",
      network: "eip155:84532",
    };
  };
const noHold: Change = ({ question: { facts } }) => {
  facts.hold = null;
};

const ofRequest: Record<string, Change> = {
  "not on hold": noHold,
  held: hold(() => ({})),
  "held, less": hold(({ amount }) => ({ amount: amount > 0n ? amount - 1n : 0n })),
  "held, more": hold(({ amount }) => ({ amount: amount + 1n })),
  "held, its time over": hold(() => ({ expiresAt: new Date(NOW - 1) })),
  "held by another token": hold(() => ({ jti: "jti_2" })),
  "held by the same attempt": hold(() => ({ isSameAttempt: true })),
  "held for another call": hold(() => ({ isSameCall: false })),
  released: ended("released"),
  "released by another token": ended("released", "jti_2"),
  "hold expired": ended("expired"),
  "hold of another token expired": ended("expired", "jti_2"),
  settled: settled(FINGERPRINT, noHold),
  "settled from its hold": settled(FINGERPRINT, ended("posted")),
  "settled after its hold": settled(FINGERPRINT, ended("expired")),
  "settled with another body": settled("fingerprint_2", ended("posted")),
  "settled by record": settled("by-record", ended("posted")),
  "settled by record, another token": settled("by-record", ended("posted", "jti_2")),
};

/** What can be otherwise about amount and balance, and about what was done under the request's id. */
export const REQUEST_CHANGES = { ...ofFunds, ...ofRequest };
