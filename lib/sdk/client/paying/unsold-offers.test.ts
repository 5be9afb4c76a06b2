import { createGate } from "@turnpike/payments/gate";
import { getFiatPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { type CardShop, openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createMemoryQueue } from "../../gate/queue/memory-queue.ts";

describe.each(ruleStores())(
  "payments.fetch passes over plans that can't be bought, on $name",
  ({ open }) => {
    const at = useCardService(open);
    const openShop = () => openCardShop(at.service, { credits: getFixedCreditsConfig(1n, 1n) });

    /** The shop's agent is asked by plans of the same seller. */
    function askAt({ builder, subscriber }: CardShop, planId: string[]) {
      const options = { queue: createMemoryQueue(), report: false };
      const gate = createGate(builder.payments, { "POST /ask": { planId } }, options);
      const fetch = (request: Request) => gate(request, async () => new Response("done"));
      const ask = { fetch, maxSpend: 1_000n };
      return subscriber.payments.fetch("https://agent.example/ask", { method: "POST" }, ask);
    }

    async function register(
      { builder }: CardShop,
      options: { isTrialPlan?: boolean; state?: "draft" },
    ) {
      const price = getFiatPriceConfig(1_000_000n, builder.address, "USD");
      const credits = getFixedCreditsConfig(1n, 1n);
      const { plans } = builder.payments;
      return (await plans.registerCreditsPlan({ name: "Beside" }, price, credits, options)).planId;
    }

    test("an archived plan that stands first, by a new buyer", async () => {
      const shop = await openShop();
      const archived = await register(shop, {});
      await shop.builder.payments.plans.archivePlan(archived);
      const { response } = await askAt(shop, [archived, shop.planId]);
      expect(response.status).toBe(200);
      const { items } = await shop.subscriber.payments.tokens.listTokens({});
      expect(items.map(({ planId }) => planId)).toEqual([shop.planId]);
    });

    test("an archived plan whose credits are used up, though the client knew it before", async () => {
      const shop = await openShop();
      const { builder, planId: old } = shop;
      const sold = await register(shop, {});
      expect((await askAt(shop, [old, sold])).response.status).toBe(200);
      await builder.payments.plans.archivePlan(old);
      expect((await askAt(shop, [old, sold])).response.status).toBe(200);
    });

    test.each([
      ["a paid trial", { isTrialPlan: true }],
      ["a draft", { state: "draft" }],
    ] as const)("%s", async (_, options) => {
      const shop = await openShop();
      const beside = await register(shop, options);
      expect((await askAt(shop, [beside, shop.planId])).response.status).toBe(200);
    });

    test("alone, it is refused for the reason", async () => {
      const shop = await openShop();
      await shop.builder.payments.plans.archivePlan(shop.planId);
      const { response, declined } = await askAt(shop, [shop.planId]);
      expect(response.status).toBe(402);
      expect(declined).toContain("The plan is no longer sold");
    });
  },
);
