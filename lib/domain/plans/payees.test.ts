import {
  getCryptoPriceConfig,
  getFixedCreditsConfig,
  PlanRedemptionType,
  setRedemptionType,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import type { Caller } from "@/lib/domain/context.ts";
import { performAs, type ServiceInput } from "@/lib/server/pipeline/perform-as.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";

const PARTNER = "0x1111111111111111111111111111111111111111";
const OTHER = "0x2222222222222222222222222222222222222222";
const FIVE_MINUTES_MS = 300_000;

type Shares = Record<string, bigint>;
/** A price that pays each of these addresses its amount. */
const priceOf = (shares: Shares) => {
  const [first = ""] = Object.keys(shares);
  return {
    ...getCryptoPriceConfig(0n, first),
    amounts: Object.values(shares),
    receivers: Object.keys(shares),
  };
};

describe.each(ruleStores())("payees on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(() => database.close());

  const credits = setRedemptionType(
    getFixedCreditsConfig(10n, 1n),
    PlanRedemptionType.ONLY_PLAN_ROLE,
  );
  const termsOf = (shares: Shares, redeemers?: string[]) => ({
    metadataAttributes: { name: "Pro" },
    priceConfig: priceOf(shares),
    creditsConfig: credits,
    ...(redeemers && { redeemers }),
  });

  /** A builder, and what they are answered in a browser that proved who they are so long ago. */
  async function builderSince(provenMsAgo: number) {
    const { address, payments } = await service.party();
    const caller: Caller = { account: address, keyId: null, isOperator: false, provenMsAgo };
    const answerOf = (work: Promise<unknown>) =>
      work.then(
        () => "done",
        ({ code }) => code,
      );
    const run = <K extends "registerCreditsPlan" | "registerAgentAndPlan" | "updatePlan">(
      name: K,
      input: ServiceInput<K>,
    ) => answerOf(performAs(service.pipeline, { caller }, name, input));
    const plan = async (shares: Shares, redeemers: string[] = []) => {
      const { planId } = await payments.plans.registerCreditsPlan(
        { name: "Pro" },
        priceOf(shares),
        credits,
      );
      if (redeemers.length > 0) await payments.plans.updatePlan(planId, { redeemers });
      return planId;
    };
    return { address, payments, run, plan, answerOf };
  }

  test("T59: money goes to another address only once the person has confirmed who they are", async () => {
    const { address, run, plan, payments } = await builderSince(FIVE_MINUTES_MS);
    const planId = await plan({ [address]: 10n });
    const update = (shares: Shares, id = planId) =>
      run("updatePlan", { planId: id, priceConfig: priceOf(shares) });
    expect(await update({ [OTHER]: 10n })).toBe("step_up_required");
    expect(await update({ [address]: 5n, [OTHER]: 5n })).toBe("step_up_required");
    expect((await payments.plans.getPlan(planId)).version).toBe(1);
    // To their own account alone, at any price.
    expect(await update({ [address.toLowerCase()]: 20n })).toBe("done");

    const shared = await plan({ [address]: 5n, [PARTNER]: 5n });
    expect(await update({ [address]: 1n, [PARTNER]: 9n }, shared)).toBe("step_up_required");
    expect(await update({ [PARTNER]: 10n }, shared)).toBe("step_up_required");
    expect(await update({ [address]: 5n, [OTHER]: 5n }, shared)).toBe("step_up_required");
    // The same shares of another price, a smaller one, and none.
    expect(await update({ [PARTNER]: 7n, [address]: 7n }, shared)).toBe("done");
    expect(await update({ [PARTNER]: 2n, [address]: 7n }, shared)).toBe("done");
    expect(await update({ [address]: 7n }, shared)).toBe("done");
  });

  test("T59: a new plan that pays others, or that others charge, asks for a proof too", async () => {
    const { address, run } = await builderSince(FIVE_MINUTES_MS);
    const own = termsOf({ [address]: 10n }, [address]);
    const others = [termsOf({ [OTHER]: 10n }), termsOf({ [address]: 10n }, [OTHER])];
    const agent = {
      metadataAttributes: { name: "Reader" },
      agentApiAttributes: { endpoints: [{ verb: "POST" as const, url: "https://a.example/x" }] },
    };
    for (const terms of others) {
      expect(await run("registerCreditsPlan", terms)).toBe("step_up_required");
      expect(await run("registerAgentAndPlan", { agent, plan: terms })).toBe("step_up_required");
    }
    expect(await run("registerCreditsPlan", own)).toBe("done");
    expect(await run("registerAgentAndPlan", { agent, plan: own })).toBe("done");
  });

  test("T59: only a new redeemer asks for a proof", async () => {
    const { address, run, plan } = await builderSince(FIVE_MINUTES_MS);
    const planId = await plan({ [address]: 10n }, [PARTNER]);
    const update = (redeemers: string[]) => run("updatePlan", { planId, redeemers });
    expect(await update([PARTNER, OTHER])).toBe("step_up_required");
    expect(await update([PARTNER.toLowerCase(), address])).toBe("done");
    expect(await update([])).toBe("done");
    expect(await update([PARTNER])).toBe("step_up_required");
  });

  test("T59: someone who confirmed in the last five minutes changes both, and so do keys", async () => {
    const { address, run, plan, payments } = await builderSince(FIVE_MINUTES_MS - 1);
    const planId = await plan({ [address]: 10n });
    const changes = { priceConfig: priceOf({ [OTHER]: 10n }), redeemers: [OTHER] };
    expect(await run("updatePlan", { planId, ...changes })).toBe("done");
    expect(await run("registerCreditsPlan", termsOf({ [OTHER]: 10n }, [OTHER]))).toBe("done");
    const { version } = await payments.plans.updatePlan(planId, {
      priceConfig: priceOf({ [PARTNER]: 10n }),
      redeemers: [PARTNER],
    });
    expect(version).toBe(3);
  });
});
