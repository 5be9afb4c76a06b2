import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";

describe.each(ruleStores())("registering under a nonce on $name", ({ open }) => {
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

  const party = async () => {
    const { payments } = await service.party();
    const terms = [getFreePriceConfig(), getFixedCreditsConfig(10n)] as const;
    return {
      payments,
      register: async (nonce: string) => {
        const options = { nonce };
        const { agentId, planId } = await payments.agents.registerAgentAndPlan(
          ...[{ name: "Reader" }, {}, { name: "Starter" }, ...terms, options],
        );
        return { agentId, planId };
      },
      registerPlan: (nonce: string) =>
        payments.plans.registerCreditsPlan({ name: "Starter" }, ...terms, { nonce }),
    };
  };

  test("an agent and its plan are registered once, however often they are sent", async () => {
    const { payments, register } = await party();
    const first = await register("7");
    expect(await register("7")).toEqual(first);
    expect((await payments.agents.listAgents()).items).toHaveLength(1);
    expect(await register("8")).not.toEqual(first);
  });

  test("an agent and its plan stay those of their nonce, whatever became of them", async () => {
    const { payments, register } = await party();
    const first = await register("7");
    const other = await payments.agents.registerAgent({ name: "Other" }, {}, [first.planId]);
    expect(await register("7")).toEqual(first);
    await payments.agents.removePlanFromAgent(other.agentId, first.planId);
    await payments.agents.archiveAgent(first.agentId);
    expect(await register("7")).toEqual(first);
    await payments.agents.restoreAgent(first.agentId);
    await payments.agents.removePlanFromAgent(first.agentId, first.planId);
    expect(await register("7")).toEqual(first);
    expect((await payments.agents.listAgents()).total).toBe(2);
  });

  test("an agent of the same nonce that was registered alone is another one", async () => {
    const { payments, register, registerPlan } = await party();
    const alone = await payments.agents.registerAgent({ name: "Alone" }, {}, [], { nonce: "7" });
    const both = await register("7");
    expect(both.agentId).not.toBe(alone.agentId);
    expect(await register("7")).toEqual(both);
    expect(await registerPlan("7")).toMatchObject({ planId: both.planId });
  });

  test("a plan that is there gets one agent, however often it is sent at once", async () => {
    const { payments, register, registerPlan } = await party();
    await registerPlan("7");
    const [first, ...more] = await Promise.all([register("7"), register("7"), register("7")]);
    expect(more).toEqual([first, first]);
    expect((await payments.agents.listAgents()).items).toHaveLength(1);
  });

  test("requests at once under one nonce all get what the first one made", async () => {
    const { payments, registerPlan } = await party();
    const endpoint = { endpoints: [{ POST: "https://reader.example/ask" }] };
    const registerAgent = () =>
      payments.agents.registerAgent({ name: "Reader" }, endpoint, [], { nonce: "5" });
    for (const register of [() => registerPlan("7"), registerAgent]) {
      const [first, ...more] = await Promise.all([register(), register(), register(), register()]);
      expect(more).toEqual([first, first, first]);
    }
  });

  test("a plan that is there without its agent gets one", async () => {
    const { payments, register, registerPlan } = await party();
    const { planId } = await registerPlan("7");
    const both = await register("7");
    expect(both.planId).toBe(planId);
    const { items } = await payments.agents.getAgentPlans(both.agentId);
    expect(items.map((plan) => plan.planId)).toEqual([planId]);
  });
});
