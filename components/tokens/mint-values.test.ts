import { expect, test } from "vitest";
import {
  ANY_AGENT,
  AUTOMATIC,
  firstMintValues,
  grantInput,
  type MintTerms,
  type MintValues,
  NEW,
  needsCard,
  readMint,
  tokenEnd,
  underDelegation,
  WITH_DELEGATION,
} from "./mint-values.ts";

const now = "2026-11-21T14:00:00Z";
const card = (id: string, more = {}) => ({
  id,
  brand: "visa",
  last4: "4242",
  expMonth: 4,
  expYear: 2030,
  ...more,
});
const agent = (agentId: string) => ({ agentId, name: agentId, url: "https://a", method: "POST" });
const delegation = (delegationId: string) => ({
  delegationId,
  name: delegationId,
  leftCents: "1000",
  currency: "usd",
  expiresAt: now,
});
const terms: MintTerms = {
  planId: "42",
  planName: "Starter",
  isFree: false,
  isCard: true,
  costCents: "500",
  token: null,
  currency: "usd",
  agents: [agent("first"), agent("second")],
  delegations: [],
  cards: [card("old", { expYear: 2020 }), card("spare"), card("usual", { isDefault: true })],
  isOwnWallet: false,
  isSandbox: true,
  now,
};
const values = (more: Partial<MintValues> = {}, of = terms): MintValues => ({
  ...firstMintValues(of),
  ...more,
});

test("the form opens with the first agent, a new delegation and the default card", () => {
  expect(values()).toEqual({
    agentId: "first",
    delegationId: NEW,
    cardId: "usual",
    limit: "5.00",
    durationSecs: 604_800,
    maxTransactions: "",
    lifeSecs: WITH_DELEGATION,
    redemptionLimit: "",
  });
});

test("it opens with what was linked to, and a free plan creates its delegation automatically", () => {
  const linked = {
    ...terms,
    delegations: [delegation("d1"), delegation("d2")],
    firstAgent: "second",
    firstDelegation: "d2",
  };
  expect(firstMintValues(linked)).toMatchObject({ agentId: "second", delegationId: "d2" });
  expect(firstMintValues({ ...terms, isFree: true }).delegationId).toBe(AUTOMATIC);
});

test("it opens with the options of an earlier token, and ignores what is none", () => {
  const again = { firstAgent: ANY_AGENT, firstCalls: "25", firstLifeSecs: "86400" };
  expect(firstMintValues({ ...terms, ...again })).toMatchObject({
    agentId: ANY_AGENT,
    redemptionLimit: "25",
    lifeSecs: "86400",
  });
  expect(firstMintValues({ ...terms, firstCalls: "0", firstLifeSecs: "59" })).toMatchObject({
    redemptionLimit: "",
    lifeSecs: WITH_DELEGATION,
  });
});

const limits = { spendingLimitCents: "500", durationSecs: 604_800 };

test("a new delegation carries its limits and the card", () => {
  expect(readMint(values({ redemptionLimit: " 10 " }), terms)).toEqual({
    input: {
      request: {
        accepted: { planId: "42", extra: { agentId: "first" } },
        delegationConfig: { ...limits, currency: "usd", providerPaymentMethodId: "usual" },
        redemptionLimit: 10,
      },
      lifeSecs: 315_360_000,
      limits,
    },
  });
});

test("an existing delegation is named, without limits; a token can last as long as it does", () => {
  const known = { ...terms, delegations: [delegation("d1")] };
  const chosen = { delegationId: "d1", lifeSecs: WITH_DELEGATION, limit: "not read" };
  expect(readMint(values(chosen, known), known)).toEqual({
    input: {
      request: {
        accepted: { planId: "42", extra: { agentId: "first" } },
        delegationConfig: { delegationId: "d1" },
      },
      lifeSecs: 315_360_000,
    },
  });
});

test.each([
  [{ delegationId: NEW }, "2026-11-28T14:00:00.000Z", false],
  [{ delegationId: NEW, lifeSecs: "86400" }, "2026-11-22T14:00:00.000Z", true],
  [{ delegationId: NEW, lifeSecs: "31536000" }, "2026-11-28T14:00:00.000Z", false],
  [{ delegationId: AUTOMATIC }, "2026-11-22T14:00:00.000Z", false],
  [{ delegationId: "d1" }, now, false],
] as const)("the form says when the token of %o expires", (more, at, isEarlier) => {
  const known = { ...terms, delegations: [delegation("d1")] };
  const end = tokenEnd(values({ ...more }, known), known);
  expect(end).toEqual({ at: Date.parse(at), isEarlier });
});

test("an automatic delegation is left to the service", () => {
  expect(readMint(values({ delegationId: AUTOMATIC, agentId: "any" }), terms)).toEqual({
    input: { request: { accepted: { planId: "42" } }, lifeSecs: 315_360_000 },
  });
});

test("every wrong field is reported at once; limits count only for a new delegation", () => {
  const wrong = { limit: "1.00", redemptionLimit: "0" };
  expect(readMint(values(wrong), terms).faults).toEqual({
    limit: "This is less than one order costs.",
    redemptionLimit: "Enter a whole number, or leave it empty.",
  });
  expect(readMint(values({ limit: "", delegationId: AUTOMATIC }), terms).faults).toBeUndefined();
});

test("only a new delegation of a card plan needs a card", () => {
  expect(needsCard(values(), terms)).toBe(true);
  expect(needsCard(values({ delegationId: AUTOMATIC }), terms)).toBe(false);
  expect(needsCard(values(), { ...terms, isCard: false })).toBe(false);
});

test("a wallet signs the limits first; the token is then minted under that delegation", () => {
  expect(grantInput({ ...limits, maxTransactions: 3 }, terms)).toEqual({
    provider: "erc4337",
    planIds: ["42"],
    name: "Tokens of Starter",
    ...limits,
    maxTransactions: 3,
  });
  const accepted = { planId: "42" };
  expect(underDelegation({ accepted, delegationConfig: limits }, "d9")).toEqual({
    accepted,
    delegationConfig: { delegationId: "d9" },
  });
});

test("a plan priced in ETH is limited in ETH, by default to one more order", () => {
  const token = { total: 10n ** 16n, decimals: 18, currency: "ETH" };
  const eth = { ...terms, isCard: false, isOwnWallet: true, costCents: null, token };
  expect(firstMintValues(eth).limit).toBe("0.01");
  const reading = readMint(values({ limit: "0.05" }, eth), eth);
  expect(reading).toMatchObject({
    input: { request: { orderLimit: "50000000000000000" } },
  });
  const chosen = "input" in reading ? reading.input?.limits : undefined;
  expect(chosen && grantInput(chosen, eth)).toMatchObject({
    spendingLimitCents: "0",
    orderLimit: "50000000000000000",
  });
  expect(readMint(values({ limit: "0.001" }, eth), eth).faults).toEqual({
    limit: "This is less than one order costs.",
  });
  const automatic = { ...values({ delegationId: AUTOMATIC }, eth) };
  expect(readMint(automatic, { ...eth, isOwnWallet: false })).toMatchObject({
    input: { request: { orderLimit: "10000000000000000" } },
  });
});

test("a new delegation of a plan in yen allows one more order", () => {
  const yen = { ...terms, costCents: "500", currency: "jpy" };
  expect(firstMintValues(yen).limit).toBe("500");
  expect(readMint(values({}, yen), yen)).toMatchObject({
    input: { limits: { spendingLimitCents: "500" } },
  });
});
