import {
  getDynamicCreditsConfig,
  getErc20PriceConfig,
  getExpirableDurationConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
  getNativeTokenPriceConfig,
} from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { minorDigits } from "@/lib/console/minor-units.ts";
import { CARD_CURRENCIES } from "./builder/card-currencies.ts";
import { draftOfPlan } from "./builder/draft-of-plan.ts";
import { payloadOfDraft } from "./builder/payload-of-draft.ts";
import { newDraft, restoreDraft } from "./builder/plan-draft.ts";
import {
  costWords,
  describeTerms,
  grantWords,
  priceWords,
  readoutSentences,
  settlesWords,
} from "./describe-plan.ts";
import type { PlanTerms } from "./plan-terms.ts";
import { MARKET, OWN_ADDRESS, USDC } from "./testing/arbitrary-plan.ts";

const terms = (more: Partial<PlanTerms> = {}): PlanTerms => ({
  price: { ...getErc20PriceConfig(25_000_000n, USDC, OWN_ADDRESS), currency: "USDC" },
  credits: getDynamicCreditsConfig(250n, 1n, 10n),
  accessLimit: "credits",
  isTrial: false,
  ...more,
});

describe("a plan in words", () => {
  test("a flexible plan shows the range of its calls", () => {
    expect(readoutSentences(terms(), MARKET)).toEqual([
      "250 credits for 25.00 USDC.",
      "From 0.10 to 1.00 USDC per call; 25 to 250 calls.",
    ]);
    expect(grantWords(terms())).toBe("250 credits, 1 to 10 per call");
  });

  test("a free plan settles on no chain", () => {
    expect(settlesWords(terms({ price: getFreePriceConfig() }), MARKET)).toMatch(/^No payment/);
    expect(settlesWords(terms(), MARKET)).toBe(
      `On ${MARKET.chainName} (svc:erc4337 on ${MARKET.network})`,
    );
  });

  test("a price that does not divide evenly says about, with no more digits than the token has", () => {
    const thirds = terms({
      price: getErc20PriceConfig(10_000_000n, USDC, OWN_ADDRESS),
      credits: getFixedCreditsConfig(3n, 1n),
    });
    expect(costWords(thirds, MARKET)).toBe("about 3.333333 USDC");
    const dust = terms({
      price: getErc20PriceConfig(1n, USDC, OWN_ADDRESS),
      credits: getFixedCreditsConfig(1_000n, 1n),
    });
    expect(costWords(dust, MARKET)).toBe("less than 0.000001 USDC");
  });

  test("the zero address is never shown: it is Native, Card or Free", () => {
    for (const price of [
      getNativeTokenPriceConfig(10n ** 18n, OWN_ADDRESS),
      getFreePriceConfig(),
    ]) {
      const text = JSON.stringify(describeTerms(terms({ price }), MARKET));
      expect(text).not.toContain("0x0000");
    }
    const native = terms({ price: getNativeTokenPriceConfig(10n ** 18n, OWN_ADDRESS) });
    expect(priceWords(native.price, MARKET)).toBe("1.00 ETH");
  });

  test("a token with unknown decimals is shown in its smallest unit", () => {
    const price = getErc20PriceConfig(
      5_000n,
      "0x2222222222222222222222222222222222222222",
      OWN_ADDRESS,
    );
    expect(priceWords(price, MARKET)).toBe("5,000 units of 0x2222…2222");
  });

  test("a time pass uses no credits", () => {
    const pass = terms({ accessLimit: "time", credits: getExpirableDurationConfig(2_592_000n) });
    expect(readoutSentences(pass, MARKET)).toEqual([
      "30 days of access for 25.00 USDC.",
      "Calls use no credits.",
    ]);
  });
});

test("a new version starts with the fields of the current one", () => {
  const plans = [
    terms(),
    terms({ credits: getFixedCreditsConfig(100n, 2n) }),
    terms({ accessLimit: "time", credits: getExpirableDurationConfig(3_600n) }),
    terms({ price: getFreePriceConfig(), isTrial: true, credits: getFixedCreditsConfig(10n, 1n) }),
  ];
  for (const plan of plans) {
    const reading = payloadOfDraft(draftOfPlan(plan, "Same", MARKET), MARKET);
    if (!reading.isPayload) throw new Error(JSON.stringify(reading.faults));
    expect(reading.terms).toEqual(plan);
  }
});

test("a kept draft is restored, with defaults for invalid fields", () => {
  const fresh = newDraft(MARKET, "1");
  const kept = {
    ...fresh,
    granted: "7",
    rail: "gold",
    receivers: [{ address: 1 }],
    durationSecs: "x",
  };
  expect(restoreDraft(JSON.parse(JSON.stringify(kept)), fresh)).toEqual({ ...fresh, granted: "7" });
  expect(restoreDraft(null, fresh)).toBe(fresh);
});

test("card currencies have the decimals the service charges in", () => {
  for (const [code, decimals] of Object.entries(CARD_CURRENCIES)) {
    expect([code, minorDigits(code)]).toEqual([code, decimals]);
  }
});
