import { getCryptoPriceConfig, getFixedCreditsConfig, type Plan } from "@turnpike/payments";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  TEST_ORIGIN,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { openService } from "../../../scripts/doctor-service.ts";

describe.each(ruleStores())(
  "plans that only their owner or people with the link see, on $name",
  ({ open }) => {
    let database: Database;
    let service: TestService;

    beforeAll(async () => {
      database = await open();
      service = createTestService(database);
    });
    afterEach(() => {
      vi.unstubAllGlobals();
    });
    afterAll(() => database.close());

    const states = ["draft", "listed", "unlisted"] as const;

    async function seller() {
      const { payments, address } = await service.party();
      const planIds = await Promise.all(
        states.map(async (state) => {
          const price = getCryptoPriceConfig(5_000_000n, address);
          const registered = payments.plans.registerCreditsPlan(
            { name: state },
            price,
            getFixedCreditsConfig(10n),
            { state },
          );
          return (await registered).planId;
        }),
      );
      const { agentId } = await payments.agents.registerAgent(
        { name: "Reader" },
        { endpoints: [{ POST: "https://reader.example/ask" }] },
        planIds,
      );
      const [draft = "", listed = "", unlisted = ""] = planIds;
      return { payments, agentId, draft, listed, unlisted };
    }

    const idsOf = ({ items }: { items: Pick<Plan, "planId">[] }) =>
      items.map(({ planId }) => planId);
    const anyone = async (path: string) =>
      (await service.fetch(`${TEST_ORIGIN}/api/v1/protocol/agents/${path}`)).json();

    test("others get an agent's listed plans alone, its owner gets all", async () => {
      const { payments, agentId, listed } = await seller();
      const stranger = (await service.party()).payments;
      expect(idsOf(await stranger.agents.getAgentPlans(agentId))).toEqual([listed]);
      expect((await stranger.agents.getAgent(agentId)).plans).toEqual([listed]);
      expect(idsOf(await anyone(`${agentId}/plans`))).toEqual([listed]);
      expect((await anyone(agentId)).plans).toEqual([listed]);
      expect(idsOf(await payments.agents.getAgentPlans(agentId))).toHaveLength(3);
      expect((await payments.agents.getAgent(agentId)).plans).toHaveLength(3);
    });

    test("an archived plan leaves the list of others", async () => {
      const { payments, agentId, listed } = await seller();
      await payments.plans.archivePlan(listed);
      const stranger = (await service.party()).payments;
      expect(await stranger.agents.getAgentPlans(agentId)).toMatchObject({ items: [], total: 0 });
    });

    test("the agents of an unlisted plan are found by its id, and name it", async () => {
      const { agentId, listed, unlisted } = await seller();
      const { items } = await (await service.party()).payments.plans.getPlanAgents(unlisted);
      expect(items.map((agent) => [agent.agentId, agent.plans.toSorted()])).toEqual([
        [agentId, [listed, unlisted].toSorted()],
      ]);
      const plan = await (await service.party()).payments.plans.getPlan(unlisted);
      expect(plan.planId).toBe(unlisted);
    });

    test("the doctor knows without a key which plans of a 402 an agent accepts", async () => {
      vi.stubGlobal("fetch", service.fetch);
      const [{ payments, agentId, draft, unlisted }, other] = [await seller(), await seller()];
      const { registered } = await openService({ baseUrl: TEST_ORIGIN, apiKey: undefined });
      const accepted = async (...offered: string[]) => {
        const agent = await registered.agents.find(agentId, offered);
        return offered.filter((planId) => agent?.planIds.includes(planId));
      };
      expect(await accepted(draft, unlisted, other.unlisted)).toEqual([draft, unlisted]);
      await payments.agents.archiveAgent(agentId);
      expect(await accepted(draft, unlisted, other.unlisted)).toEqual([draft, unlisted]);
    });
  },
);
