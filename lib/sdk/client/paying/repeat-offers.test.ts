import {
  getDynamicCreditsConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  createTestService,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { createGate } from "../../gate/gate.ts";
import { createMemoryQueue } from "../../gate/queue/memory-queue.ts";
import { createMemoryAnswers } from "../../gate/repeats/memory-answers.ts";
import type { PayingFetchOptions } from "../paid-response.ts";

type Market = Awaited<ReturnType<typeof createMarket>>;
/** A gate's route, of the plan that pays unless it says another. */
type Route = { planId?: string[]; agentId?: string; credits?: () => number };

describe.each(ruleStores())(
  "a lost call that is made again at a gate with other offers, on $name",
  ({ open }) => {
    let database: Database;
    let service: TestService;
    beforeAll(async () => {
      database = await open();
      service = createTestService(database);
    });
    afterAll(async () => {
      expect(await brokenRules(database)).toEqual([]);
      await database.close();
    });

    /** A subscriber with 100 credits, gates that share their answers, and a call of the first one whose answer was lost. */
    async function setUp(market: Market, routes: Route[]) {
      const { builder, subscriber, planId } = market;
      const answers = createMemoryAnswers();
      const gates = routes.map((route) =>
        createGate(
          builder.payments,
          { "POST /ask": { planId, ...route } },
          { queue: createMemoryQueue(), report: false, answers },
        ),
      );
      let isLosing = true;
      let runs = 0;
      const ask = async (
        at: number,
        options: PayingFetchOptions = {},
        key = "lost-call-0000001",
      ) => {
        const fetch = async (request: Request) => {
          const answer = await (gates[at] as (typeof gates)[0])(request, async () => {
            runs += 1;
            return new Response("done");
          });
          if (!isLosing || !request.headers.has("payment-signature")) return answer;
          throw new TypeError("The connection broke off.");
        };
        const init = { method: "POST", headers: { "idempotency-key": key } };
        const url = "https://agent.example/ask";
        return (await subscriber.payments.fetch(url, init, { fetch, ...options })).response.status;
      };
      await expect(ask(0)).rejects.toThrow("The connection broke off.");
      isLosing = false;
      const charged = async () => {
        const { plans } = subscriber.payments;
        const { balance } = await plans.getPlanBalance(planId, subscriber.address);
        return [100n - balance, runs];
      };
      return { ask, charged };
    }

    test("is paid once where the gate names its agent since", async () => {
      const market = await createMarket(service);
      const { ask, charged } = await setUp(market, [{}, { agentId: market.agentId }]);
      expect(await ask(1)).toBe(200);
      expect(await charged()).toEqual([1n, 1]);
    });

    test("is paid once where the gate names its agent since, and other calls have another token", async () => {
      const market = await createMarket(service);
      const { ask, charged } = await setUp(market, [{}, { agentId: market.agentId }]);
      expect(await ask(1, {}, "other-call-000001")).toBe(200);
      expect(await ask(1)).toBe(200);
      expect(await charged()).toEqual([2n, 2]);
    });

    test("is paid once where its price was raised since", async () => {
      const credits = getDynamicCreditsConfig(100n, 1n, 5n);
      const market = await createMarket(service, { credits });
      let price = 1;
      const { ask, charged } = await setUp(market, [{ credits: () => price }]);
      price = 2;
      expect(await ask(0)).toBe(200);
      expect(await charged()).toEqual([1n, 1]);
    });

    test("is paid once where its repeat names the plan that paid", async () => {
      const market = await createMarket(service);
      const { ask, charged } = await setUp(market, [{}]);
      expect(await ask(0, { planId: market.planId })).toBe(200);
      expect(await charged()).toEqual([1n, 1]);
    });

    test("is paid by no other plan where the limits of its repeat leave out the one that paid", async () => {
      const market = await createMarket(service);
      const { builder, subscriber, planId } = market;
      const { planId: other } = await builder.payments.plans.registerCreditsPlan(
        { name: "Other" },
        getFreePriceConfig(),
        getFixedCreditsConfig(100n, 1n),
      );
      await subscriber.payments.plans.orderPlan(other);
      const { ask, charged } = await setUp(market, [{ planId: [planId, other] }]);
      await expect(ask(0, { planId: other })).rejects.toMatchObject({ code: "outcome_unknown" });
      expect(await ask(0)).toBe(200);
      expect(await charged()).toEqual([1n, 1]);
    });
  },
);
