import {
  getErc20PriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getNativeTokenPriceConfig,
  PlanCreditsConfig,
  PlanPriceConfig,
} from "@turnpike/payments/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inFull } from "@/lib/testing/in-full.ts";
import { describeTerms } from "../describe-plan.ts";
import type { PlanTerms } from "../plan-terms.ts";
import { expectedPlan, MARKET, OWN_ADDRESS, USDC } from "../testing/arbitrary-plan.ts";
import { draftOfPlan } from "./draft-of-plan.ts";
import { editedTerms, findUneditable } from "./edited-terms.ts";
import { payloadOfDraft, wireTerms } from "./payload-of-draft.ts";
import type { PlanDraft } from "./plan-draft.ts";

const CONTROLLER = "0x2222222222222222222222222222222222222222";
const OTHER = "0x3333333333333333333333333333333333333333";
const DAY_SECS = 86_400n;

const terms = (more: Partial<PlanTerms> = {}): PlanTerms => ({
  price: getFiatPriceConfig(10_000_000n, OWN_ADDRESS),
  credits: getFixedCreditsConfig(100n, 2n),
  accessLimit: "credits",
  isTrial: false,
  ...more,
});

/** The terms that the form publishes after these edits. */
function publish(plan: PlanTerms, edits: Partial<PlanDraft> = {}): PlanTerms {
  const draft = { ...draftOfPlan(plan, "Plan", MARKET), ...edits };
  const reading = payloadOfDraft(draft, MARKET);
  if (!reading.isPayload) throw new Error(JSON.stringify(reading.faults));
  return editedTerms(plan, reading.terms, MARKET);
}

describe("a new version", () => {
  test("without edits has the plan's own terms, whatever they are", () => {
    fc.assert(
      fc.property(
        expectedPlan,
        fc.constantFrom(undefined, CONTROLLER),
        fc.constantFrom(0n, 30n * DAY_SECS),
        ({ draft }, feeController, durationSecs) => {
          const reading = payloadOfDraft(draft, MARKET);
          if (!reading.isPayload) throw new Error(JSON.stringify(reading.faults));
          const { price, credits, ...rest } = reading.terms;
          const plan = {
            ...rest,
            price: { ...price, ...(feeController && { feeController }) },
            credits: rest.accessLimit === "time" ? credits : { ...credits, durationSecs },
          };
          expect(publish(plan)).toEqual(plan);
        },
      ),
      { numRuns: inFull(1_000, 200), ...inFull({}, { seed: 7 }) },
    );
  });

  test("keeps when credits expire, the fee controller and the other contracts", () => {
    const plan = terms({
      price: {
        ...getFiatPriceConfig(10_000_000n, OWN_ADDRESS),
        feeController: CONTROLLER,
        templateAddress: OTHER,
      },
      credits: { ...getFixedCreditsConfig(100n, 2n), durationSecs: 30n * DAY_SECS },
    });
    const next = publish(plan, { receivers: [{ address: OWN_ADDRESS, amount: "12" }] });
    expect(next.price).toEqual({ ...plan.price, amounts: [12_000_000n] });
    expect(next.credits).toEqual(plan.credits);
    const sent = wireTerms(next.price, next.credits);
    expect(PlanPriceConfig.parse(sent.priceConfig)).toEqual(next.price);
    expect(PlanCreditsConfig.parse(sent.creditsConfig)).toEqual(next.credits);
  });

  test("drops an NFT contract that was cleared", () => {
    const plan = terms({ credits: { ...getFixedCreditsConfig(1n), nftAddress: OTHER } });
    expect(publish(plan).credits.nftAddress).toBe(OTHER);
    expect(publish(plan, { nftAddress: "" }).credits).not.toHaveProperty("nftAddress");
  });

  test("keeps a token's label until another token is chosen", () => {
    const unlabelled = terms({ price: getErc20PriceConfig(5_000_000n, USDC, OWN_ADDRESS) });
    expect(publish(unlabelled).price).not.toHaveProperty("currency");
    const native = terms({
      price: { ...getNativeTokenPriceConfig(10n ** 16n, OWN_ADDRESS), currency: "ETH" },
    });
    expect(publish(native).price.currency).toBe("ETH");
    const receivers = [{ address: OWN_ADDRESS, amount: "5" }];
    expect(publish(native, { rail: "stablecoin", receivers }).price).toMatchObject({
      tokenAddress: USDC,
      currency: "USDC",
      amounts: [5_000_000n],
    });
    const edits = { rail: "token", tokenAddress: OTHER, tokenDecimals: "6", receivers } as const;
    expect(publish(native, edits).price).not.toHaveProperty("currency");
  });

  test("never keeps another token's label", () => {
    const price = { ...getErc20PriceConfig(5n, OTHER, OWN_ADDRESS), currency: "USDC" };
    expect(publish(terms({ price })).price).not.toHaveProperty("currency");
    const own = { ...getErc20PriceConfig(5n, USDC, OWN_ADDRESS), currency: "EURC" };
    expect(publish(terms({ price: own })).price.currency).toBe("USDC");
  });

  test("says which fee controller the plan has", () => {
    const lines = (price: PlanTerms["price"]) => describeTerms(terms({ price }), MARKET);
    const price = getFiatPriceConfig(10_000_000n, OWN_ADDRESS);
    expect(lines(price).filter(({ key }) => key === "fees")).toEqual([]);
    expect(lines({ ...price, feeController: CONTROLLER })).toContainEqual(
      expect.objectContaining({ term: "Fee controller", text: CONTROLLER }),
    );
  });
});

describe("the form for a new version", () => {
  test("edits what it can show", () => {
    expect(findUneditable(terms())).toBeNull();
    const shared = getErc20PriceConfig(9n, USDC, OWN_ADDRESS);
    const price = { ...shared, amounts: [9n, 1n], receivers: [OWN_ADDRESS, OTHER] };
    expect(findUneditable(terms({ price }))).toBeNull();
    const free = { ...getFiatPriceConfig(0n, OWN_ADDRESS, "SEK") };
    expect(findUneditable(terms({ price: free }))).toBeNull();
  });

  test("is refused for a card currency it does not offer, and for shares of a card price", () => {
    const kronor = getFiatPriceConfig(100_000_000n, OWN_ADDRESS, "SEK");
    expect(findUneditable(terms({ price: kronor }))).toMatch(/priced in SEK/);
    const shared = {
      ...getFiatPriceConfig(9_000_000n, OWN_ADDRESS),
      amounts: [9_000_000n, 1_000_000n],
      receivers: [OWN_ADDRESS, OTHER],
    };
    expect(findUneditable(terms({ price: shared }))).toMatch(/between 2 receivers/);
  });
});
