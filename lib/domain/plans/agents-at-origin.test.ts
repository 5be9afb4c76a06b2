import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestParty } from "@/lib/server/testing/test-service.ts";

/** Spellings that a URL parser accepts. */
const ODD = [
  ["https://bücher.example", "https://bücher.example/ask", "https://xn--bcher-kva.example/ask"],
  [
    "https://three.example",
    "https://three.example:0443/{id}?a=b",
    "https://three.example/{id}?a=b",
  ],
  ["https://four.example", "https:four.example/:id", "https://four.example/:id"],
  ["https://five.example", "HTTPS:\\\\five.example\\ask", "https://five.example/ask"],
  ["https://six.example:8443", "https://six.example:08443?q", "https://six.example:8443?q"],
  ["https://seven.example", " https://sev\ten.example/ask", "https://seven.example/ask"],
] as const;

describe.each(ruleStores())("the agents of a plan at an origin, on $name", ({ open }) => {
  let database: Database;
  let payments: TestParty["payments"];
  let planId: string;
  let find: (origin: string) => Promise<string[]>;

  beforeAll(async () => {
    database = await open();
    ({ payments } = await createTestService(database).party());
    const { plans, agents } = payments;
    const terms = [{ name: "Starter" }, getFreePriceConfig(), getFixedCreditsConfig(10n)] as const;
    ({ planId } = await plans.registerCreditsPlan(...terms));
    const urls = ["https://one.example/ask", "https://TWO.example:443/ask", "/a/path", "mcp://b/c"];
    const odd = ODD.map(([origin, url]) => [origin, url] as const);
    for (const [name, url] of [...urls.map((url) => [url, url] as const), ...odd])
      await agents.registerAgent({ name }, { endpoints: [{ POST: url }] }, [planId]);
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

  test("an archived agent is found at its origin, and on no other list", async () => {
    const { plans, agents } = payments;
    const endpoints = [{ POST: "https://archived.example/ask" }];
    const { agentId } = await agents.registerAgent({ name: "Archived" }, { endpoints }, [planId]);
    await agents.archiveAgent(agentId);
    expect(await find("https://archived.example")).toEqual(["Archived"]);
    const { items } = await plans.getPlanAgents(planId, { limit: 100 });
    expect(items.map((agent) => agent.metadata.main.name)).not.toContain("Archived");
  });

  test.each(ODD)("%s, registered as %j", async (origin, _, endpoint) => {
    expect(await find(origin)).toEqual([origin]);
    const { items } = await payments.plans.getPlanAgents(planId, { origin });
    expect(items[0]?.metadata.agent.endpoints).toEqual([{ POST: endpoint }]);
  });
});
