import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";

describe.each(ruleStores())("the agents of a plan at an origin, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let planId: string;
  let find: (origin: string) => Promise<string[]>;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    const { plans, agents } = (await service.party()).payments;
    const terms = [{ name: "Starter" }, getFreePriceConfig(), getFixedCreditsConfig(10n)] as const;
    ({ planId } = await plans.registerCreditsPlan(...terms));
    const urls = ["https://one.example/ask", "https://TWO.example:443/ask", "/a/path", "mcp://b/c"];
    for (const url of urls)
      await agents.registerAgent({ name: url }, { endpoints: [{ POST: url }] }, [planId]);
    find = async (origin) => {
      const { items } = await plans.getPlanAgents(planId, { origin, limit: 1 });
      return items.map(({ metadata }) => metadata.main.name);
    };
  });
  afterAll(() => database.close());

  test.each([
    ["https://one.example", ["https://one.example/ask"]],
    ["https://one.example/elsewhere", ["https://one.example/ask"]],
    ["https://two.example", ["https://TWO.example:443/ask"]],
    ["http://one.example", []],
    ["https://one.example:8443", []],
    ["https://one.example.evil.example", []],
    ["https://example", []],
  ])("%s", async (origin, found) => {
    expect(await find(origin)).toEqual(found);
  });
});
