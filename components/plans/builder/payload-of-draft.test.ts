import {
  checksumAddress,
  type Plan,
  PlanCreditsConfig,
  PlanMetadata,
  PlanPriceConfig,
  toJson,
  ZERO_ADDRESS,
} from "@turnpike/payments/protocol";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { performAs } from "@/lib/server/pipeline/perform-as.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { shortenIdentifier } from "../../ui/values/shorten-identifier.ts";
import { describeTerms } from "../describe-plan.ts";
import { findToken, type Market } from "../market.ts";
import { jsonOf } from "../plan-code.ts";
import { termsOfPlan } from "../terms-of-plan.ts";
import { type ExpectedPlan, expectedPlan, MARKET, USDC } from "../testing/arbitrary-plan.ts";
import { type PlanPayload, payloadOfDraft } from "./payload-of-draft.ts";
import { creditsKindOf, type PlanDraft, railOf } from "./plan-draft.ts";
import { serviceRules } from "./service-rules.ts";

const RUNS = inFull(1_000, 150);
/** The market with a token it does not know, using the decimals the builder entered. */
function withToken(market: Market, address: string, decimals: number): Market {
  if (findToken(market, address)) return market;
  const token = { address, decimals, symbol: shortenIdentifier(address), isStable: false };
  return { ...market, tokens: [...market.tokens, token] };
}

/** The few plans of `npm test` are always the same, and include every kind. */
const SEED = inFull({}, { seed: 7 });

describe("what the builder shows, sends and stores", () => {
  let database: Database;
  let service: TestService;
  let builder: TestParty;

  beforeAll(async () => {
    database = await openRuleStore();
    service = createTestService(database);
    builder = await service.party();
  });
  afterAll(() => database.close());

  const caller = () => ({
    account: builder.address,
    keyId: null,
    isOperator: false,
    provenMsAgo: 0,
  });

  async function store(payload: PlanPayload): Promise<Plan> {
    const { pipeline } = service;
    const session = { caller: caller() };
    const verb = payload.accessLimit === "time" ? "registerTimePlan" : "registerCreditsPlan";
    const { planId } = await performAs(pipeline, session, verb, payload as never);
    return performAs(pipeline, session, "getPlan", { planId });
  }

  test("Review, the JSON tab and the stored plan agree over plans of every price and credits type", async () => {
    const seen = new Set<string>();
    let nonce = 2n ** 130n;
    await fc.assert(
      fc.asyncProperty(expectedPlan, async (expected) => {
        // Each plan needs a new nonce: sending a used one returns the plan it created.
        nonce += 1n;
        const draft = { ...expected.draft, nonce: String(nonce) };
        const reading = payloadOfDraft(draft, MARKET, serviceRules);
        if (!reading.isPayload) throw new Error(JSON.stringify(reading.faults));
        const { payload, terms } = reading;
        seen.add(`${railOf(draft)} × ${typeOf(draft)}`);

        // The JSON tab shows exactly what is sent.
        const shown: PlanPayload = JSON.parse(jsonOf(payload));
        expect(shown).toEqual(payload);

        const plan = await store(shown);
        const stored = termsOfPlan(plan);
        const market = withToken(MARKET, draft.tokenAddress, Number(draft.tokenDecimals));

        // Review describes the draft and the stored plan in the same lines.
        const review = describeTerms(terms, market);
        expect(review).toEqual(describeTerms(stored, market));
        expect(plan.metadata.main).toEqual({
          ...PlanMetadata.parse(shown.metadataAttributes),
          isTrialPlan: draft.kind === "trial",
        });

        // Both match what was expected, read back from the text.
        expectPlan(expected, plan);
        const words = Object.fromEntries(review.map(({ key, text }) => [key, text]));
        expectWords(words, expected);
      }),
      { numRuns: RUNS, ...SEED },
    );
    expect([...seen].sort()).toEqual(EVERY_KIND);
  }, 120_000);

  test("the same terms sent twice are one plan", async () => {
    const [expected] = fc.sample(expectedPlan, { numRuns: 1, seed: 7 });
    const reading = payloadOfDraft((expected as ExpectedPlan).draft, MARKET, serviceRules);
    if (!reading.isPayload) throw new Error("unreadable");
    const [first, second] = [await store(reading.payload), await store(reading.payload)];
    expect(second.planId).toBe(first.planId);
  });

  test("other terms sent from the same stored draft are another plan", async () => {
    const [expected] = fc.sample(expectedPlan, { numRuns: 1, seed: 8 });
    const { draft } = expected as ExpectedPlan;
    const plans = await Promise.all(
      ["First tab", "Second tab"].map((name) => {
        const reading = payloadOfDraft({ ...draft, name }, MARKET, serviceRules);
        if (!reading.isPayload) throw new Error("unreadable");
        return store(reading.payload);
      }),
    );
    expect(plans.map(({ metadata }) => metadata.main.name)).toEqual(["First tab", "Second tab"]);
  });
});

const typeOf = (draft: PlanDraft) => {
  const kind = creditsKindOf(draft);
  if (kind !== "time") return kind;
  return draft.durationSecs === 0 ? "non-expirable" : "expirable";
};

const EVERY_KIND = ["card", "free", "native", "stablecoin", "token"].flatMap((rail) =>
  ["dynamic", "expirable", "fixed", "non-expirable"].map((credits) => `${rail} × ${credits}`),
);

function expectPlan({ draft, amounts, receivers }: ExpectedPlan, plan: Plan): void {
  const rail = railOf(draft);
  const { price, credits } = plan.registry;
  expect(JSON.parse(toJson(PlanPriceConfig.parse(price)))).toEqual({
    tokenAddress:
      { stablecoin: USDC, token: checksumAddress(draft.tokenAddress) }[rail as "token"] ??
      ZERO_ADDRESS,
    amounts: amounts.map(String),
    receivers,
    isCrypto: rail !== "card",
    contractAddress: ZERO_ADDRESS,
    feeController: ZERO_ADDRESS,
    externalPriceAddress: ZERO_ADDRESS,
    templateAddress: ZERO_ADDRESS,
    ...(rail === "card" && { currency: draft.cardCurrency }),
    ...(rail === "stablecoin" && { currency: "USDC" }),
  });
  const isTime = creditsKindOf(draft) === "time";
  const isFixed = creditsKindOf(draft) === "fixed";
  const [least, most] = isTime ? ["1", "1"] : [draft.least, isFixed ? draft.perCall : draft.most];
  expect(JSON.parse(toJson(PlanCreditsConfig.parse(credits)))).toEqual({
    isRedemptionAmountFixed: isFixed,
    redemptionType: draft.redemptionType,
    proofRequired: draft.proofRequired,
    holderRequired: draft.holderRequired,
    durationSecs: isTime ? String(draft.durationSecs) : "0",
    amount: isTime ? "1" : draft.granted,
    minAmount: least,
    maxAmount: most,
    ...(draft.nftAddress && { nftAddress: checksumAddress(draft.nftAddress) }),
  });
  expect([plan.metadata.plan.isTrialPlan, plan.metadata.plan.accessLimit, plan.state]).toEqual([
    draft.kind === "trial",
    isTime ? "time" : "credits",
    draft.state,
  ]);
}

function expectWords(
  words: Record<string, string>,
  { draft, amounts, receivers, decimals }: ExpectedPlan,
): void {
  const total = amounts.reduce((sum, amount) => sum + amount, 0n);
  if (total === 0n) expect([words.price, words.raw]).toEqual(["Free", undefined]);
  else {
    expect(smallestUnits(words.price ?? "", decimals)).toBe(total);
    expect(digitsOf(words.raw ?? "")).toBe(total);
  }
  for (const [index, receiver] of receivers.entries()) {
    const line = words[`receiver.${index}`] ?? "";
    expect(line.startsWith(receiver)).toBe(true);
    if (receivers.length > 1) {
      expect(smallestUnits(line.slice(receiver.length + 2), decimals)).toBe(amounts[index]);
    }
  }
  const kind = creditsKindOf(draft);
  if (kind === "time") {
    expect(words.uses).toBe("No credits");
    return;
  }
  expect(digitsOf(words.granted ?? "")).toBe(BigInt(draft.granted));
  const uses = (words.uses ?? "").split(" to ").map(digitsOf);
  expect([uses[0], uses.at(-1)]).toEqual([
    BigInt(draft.least),
    BigInt(kind === "fixed" ? draft.perCall : draft.most),
  ]);
}

/** `1,234.50 USDC` in smallest units, read independently of the code that wrote it. */
function smallestUnits(text: string, decimals: number): bigint {
  const [number = ""] = text.replaceAll(",", "").split(" ");
  const [whole = "", fraction = ""] = number.split(".");
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

const digitsOf = (text: string): bigint =>
  BigInt(/^[\d,]+/.exec(text)?.[0].replaceAll(",", "") ?? "-1");
