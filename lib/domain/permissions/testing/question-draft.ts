import type { AcceptedOffer, AccessToken, PaymentOffer } from "@turnpike/payments/protocol";
import { cardTerms } from "@/lib/adapters/cards/card-terms.ts";
import { createCryptoTerms } from "@/lib/adapters/chain/crypto-terms.ts";
import type { Rail, RailTerms } from "../../rails/rail.ts";
import { createRails } from "../../rails/rails.ts";
import type { Question } from "../decide.ts";
import { CHAIN, priceFigures, STABLE_TOKEN } from "./second-arithmetic.ts";

/** Draws from a seeded sequence. */
export type Random = { pick: <T>(from: readonly T[]) => T; chance: (percent: number) => boolean };

type Facts = Question["facts"];
type Row<K extends "token" | "delegation" | "plan" | "agent"> = NonNullable<Facts[K]>;
export type Hold = NonNullable<Facts["hold"]>;

/** A question while it is made: its rows by name, so that a change needs no checks. */
export type Draft = {
  question: Question;
  document: AccessToken["payload"];
  /** The offer the token answers, and the one of the request. */
  accepted: AcceptedOffer;
  offer: PaymentOffer;
  token: Row<"token">;
  delegation: Row<"delegation">;
  plan: Row<"plan">;
  agent: Row<"agent">;
  /** What the question takes when nothing is changed. */
  amount: bigint;
};

/** One thing that is otherwise than in a good question. */
export type Change = (draft: Draft, random: Random) => void;

export const OWNER = "0x0000000000000000000000000000000000000A11";
export const PAYER = "0x0000000000000000000000000000000000000B22";
export const STRANGER = "0x0000000000000000000000000000000000000C33";
export const OTHER_COIN = "0x0000000000000000000000000000000000000D44";
const SESSION_KEY = "0x0000000000000000000000000000000000000E55";
export const JTI = "jti_1";
export const FINGERPRINT = "fingerprint_1";
const DAY = 86_400n;

/** A rail of these terms that never pays: a decision only asks what is fixed about it. */
function railOf(terms: RailTerms): Rail {
  const never = () => Promise.reject(new Error("A decision pays nothing."));
  return {
    ...terms,
    charge: never,
    lookUp: never,
    refund: never,
    signers: () => ({ pattern: "*", addresses: [] }),
    isHealthy: never,
  };
}

const crypto = railOf(
  createCryptoTerms({
    network: CHAIN,
    stableTokens: new Map([[STABLE_TOKEN.toLowerCase(), "USD"]]),
  }),
);
const card = railOf(cardTerms);
const RAILS = createRails([crypto, card], ["nvm"]);
export const NO_RAILS = createRails([], ["nvm"]);

/** What plans cost: in the stablecoin, in a token without a par value, by card in three currencies, nothing. */
const PRICES: readonly Row<"plan">["newest"]["price"][] = [
  { amounts: [1_000_000n, 2_500_000n], tokenAddress: STABLE_TOKEN, isCrypto: true },
  { amounts: [1_000_001n], tokenAddress: STABLE_TOKEN, isCrypto: true },
  { amounts: [5n * 10n ** 15n], tokenAddress: OTHER_COIN, isCrypto: true },
  { amounts: [4_990_000n], tokenAddress: OTHER_COIN, isCrypto: false, currency: "USD" },
  {
    amounts: [300_000_000n, 1_000_000n],
    tokenAddress: OTHER_COIN,
    isCrypto: false,
    currency: "JPY",
  },
  { amounts: [1_501_000n], tokenAddress: OTHER_COIN, isCrypto: false, currency: "KWD" },
  { amounts: [2_000_000n], tokenAddress: OTHER_COIN, isCrypto: false },
];
export const FREE: readonly Row<"plan">["newest"]["price"][] = [
  { amounts: [], tokenAddress: OTHER_COIN, isCrypto: true },
  { amounts: [0n, 0n], tokenAddress: STABLE_TOKEN, isCrypto: true },
];

type PlanKind = Pick<Row<"plan">, "accessLimit" | "isFixed" | "minAmount" | "maxAmount">;
const KINDS: readonly PlanKind[] = [
  { accessLimit: "credits", isFixed: true, minAmount: 3n, maxAmount: 3n },
  { accessLimit: "credits", isFixed: true, minAmount: 1n, maxAmount: 1n },
  { accessLimit: "credits", isFixed: false, minAmount: 2n, maxAmount: 10n },
  { accessLimit: "credits", isFixed: false, minAmount: 1n, maxAmount: 2n ** 200n },
  { accessLimit: "time", isFixed: false, minAmount: 1n, maxAmount: 1n },
];

function planOf(random: Random): Row<"plan"> {
  const redemptionType = random.pick([4, 4, 4, 1, 2, 0]);
  const kind = random.pick(KINDS);
  return {
    owner: OWNER,
    ...kind,
    isTrial: random.chance(10),
    version: 1,
    isArchived: random.chance(5),
    redemptionType,
    proofRequired: random.chance(20),
    holderRequired: false,
    newest: {
      version: random.pick([1, 2, 7]),
      granted: random.pick([20n, 100n]),
      durationSecs: random.pick([0n, DAY]),
      perRequest: kind.maxAmount,
      price: { ...random.pick(random.chance(88) ? PRICES : FREE) },
    },
    signedPerRequest: random.pick([kind.maxAmount, kind.maxAmount + 1n, null]),
    callerIsRedeemer: redemptionType === 2,
  };
}

function askedOf(
  { accessLimit, isFixed, minAmount }: PlanKind,
  random: Random,
): bigint | undefined {
  if (accessLimit === "time" || isFixed) return random.pick([undefined, minAmount, minAmount + 4n]);
  return random.pick([undefined, minAmount, minAmount + 1n]);
}

/** What is taken; a standing hold, credits in surplus or just enough, or an order that is allowed. */
function fundsOf(draft: Pick<Draft, "plan" | "amount" | "question">, random: Random): void {
  const { plan, amount, question } = draft;
  const { facts } = question;
  const isTime = plan.accessLimit === "time";
  const has = (available: bigint, held: bigint, isLive = true) => ({
    available: isTime ? 1n : available,
    held: isTime ? 0n : held,
    debt: 0n,
    isLive,
  });
  const rich = [has(amount + 50n, 0n), has(amount + 1n, 5n), has(amount, amount)];
  const poor = [null, has(amount + 50n, 2n, false), ...(isTime ? [] : [has(amount - 1n, 7n)])];
  facts.balance = random.pick(random.chance(50) ? poor : rich);
  if (random.chance(15)) facts.hold = holdOf(random, amount + random.pick([0n, 0n, 3n]));
}

/** A hold of this token that stands. */
export const holdOf = (random: Random, amount: bigint): Hold => ({
  jti: JTI,
  amount,
  state: "held",
  expiresAt: new Date(NOW + random.pick([300_000, 1, 0, -500])),
  isUsable: true,
  orderTx: null,
  isSameCall: true,
  isSameAttempt: false,
});

/** The moment of every question. */
export const NOW = Date.UTC(2026, 3, 5, 12, 0, 0, 250);

function documentOf(plan: Row<"plan">, random: Random): AccessToken["payload"] {
  const { total, unit } = priceFigures(plan.newest.price);
  const { version, granted, durationSecs } = plan.newest;
  return {
    authorization: {
      from: PAYER,
      planId: "42",
      ...(random.chance(50) && { agentId: "7" }),
      delegationId: "delegation_1",
      jti: JTI,
      iat: Math.floor(NOW / 1000) - 600,
      exp: Math.floor(NOW / 1000) + 600,
      aud: "sandbox",
    },
    sessionKey: {
      address: SESSION_KEY,
      permissions: ["order", "burn"],
      limits: {
        redemptionLimit: 10,
        orderLimit: "1000000",
        order: {
          planVersion: version,
          price: total.toString(),
          unit,
          credits: granted.toString(),
          durationSecs: durationSecs.toString(),
        },
      },
    },
  };
}

function offerOf(plan: Row<"plan">, random: Random): PaymentOffer {
  const { scheme, network } = plan.newest.price.isCrypto ? crypto : card;
  return {
    scheme,
    network,
    planId: "42",
    amount: "1",
    extra: { version: "1", planId: "42", agentId: "7", httpVerb: random.pick(["POST", "GET"]) },
  };
}

/** A question that is right in all its parts: its token pays, is topped up, or has its credits reserved. */
export function draftQuestion(intent: Question["intent"], random: Random): Draft {
  const plan = planOf(random);
  const document = documentOf(plan, random);
  const offer = offerOf(plan, random);
  const { scheme, network } = plan.newest.price.isCrypto ? crypto : card;
  const accepted = { scheme, network, planId: "42" };
  const maxAmount = askedOf(plan, random);
  const { total, currency, minorUnits } = priceFigures(plan.newest.price);
  const token: Row<"token"> = {
    account: PAYER,
    planId: "42",
    canOrder: true,
    redemptionsLeft: random.pick([1n, 9n]),
    orderLeft: total + random.pick([0n, 10n ** 9n]),
    expiresAt: new Date(NOW + random.pick([1, 600_000])),
    isRevoked: false,
    leaseSecs: 0,
  };
  const delegation: Row<"delegation"> = {
    delegationId: "delegation_1",
    provider: "erc4337",
    isRevoked: false,
    expiresAt: new Date(NOW + random.pick([1, 900_000])),
    sessionKeyAddress: SESSION_KEY,
    budgetLeft: minorUnits + random.pick([0n, 1_000n]),
    orderLimit: currency === null ? total + random.pick([0n, 9n]) : random.pick([null, 1n]),
    transactionsLeft: random.pick([null, 1n, 5n]),
    currency: currency ?? "usd",
  };
  const agent: Row<"agent"> = {
    owner: OWNER,
    endpoints: [
      { verb: "POST", url: "https://agent.example/tasks/:taskId" },
      { verb: offer.extra?.httpVerb ?? "POST", url: "https://agent.example/ask" },
    ],
    isLinked: true,
  };
  const question: Question = {
    intent,
    request: {
      token: "token",
      requirement: {
        x402Version: 2,
        resource: { url: "https://agent.example/ask" },
        accepts: [offer],
      },
      maxAmount,
      reserve: intent === "reserve",
      agentRequestId: "req_0000000000000001",
      fingerprintText: () => "",
    },
    inspected: {
      isSound: true,
      token: { x402Version: 2, accepted, payload: document },
      jti: JTI,
      signer: SESSION_KEY,
    },
    holder: random.pick(["bearer", "signed"]),
    facts: {
      now: new Date(NOW),
      caller: { account: OWNER, isUsable: true, isOperator: plan.redemptionType === 0 },
      token,
      delegation,
      plan,
      agent,
      balance: null,
      openTopUp: null,
      hasOrdered: false,
      budgets: null,
      hold: null,
      settlement: null,
    },
    rails: RAILS,
    fingerprint: FINGERPRINT,
  };
  const isTime = plan.accessLimit === "time";
  const amount = isTime ? 0n : plan.isFixed ? plan.minAmount : (maxAmount ?? plan.minAmount);
  const draft = { question, document, accepted, offer, token, delegation, plan, agent, amount };
  fundsOf(draft, random);
  return draft;
}
