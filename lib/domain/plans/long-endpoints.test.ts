import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestParty } from "@/lib/server/testing/test-service.ts";

const endpoints = (count: number, length: number) => urls(count, length).map((POST) => ({ POST }));
const urls = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `https://a.example/${index}/`.padEnd(length, "x"));

const TOO_LONG = {
  code: "invalid_input",
  message: expect.stringMatching(
    /^An agent's endpoints and open endpoints have [\d,]+ characters in all. At most 20,000 are allowed.$/,
  ),
  details: [{ path: "agentApiAttributes", message: expect.any(String) }],
};

describe.each(ruleStores())("agents with long endpoints on $name", ({ open }) => {
  let database: Database;
  let agents: TestParty["payments"]["agents"];

  beforeAll(async () => {
    database = await open();
    ({ agents } = (await createTestService(database).party()).payments);
  });
  afterAll(() => database.close());

  test("have 20,000 characters in endpoints and open endpoints together", async () => {
    const api = { endpoints: endpoints(50, 200), openEndpoints: urls(50, 200) };
    const { agentId } = await agents.registerAgent({ name: "Full" }, api);
    await expect(
      agents.updateAgent(agentId, { agentApiAttributes: { openEndpoints: urls(51, 200) } }),
    ).rejects.toMatchObject(TOO_LONG);
    await expect(
      agents.updateAgent(agentId, { agentApiAttributes: { endpoints: endpoints(50, 201) } }),
    ).rejects.toMatchObject(TOO_LONG);
    await agents.updateAgent(agentId, { agentApiAttributes: { openEndpoints: [] } });
    await agents.updateAgent(agentId, { agentApiAttributes: { endpoints: endpoints(100, 200) } });
  });

  test("are refused when they are registered, also with their ID in each place of it", async () => {
    const long = { endpoints: endpoints(11, 2000) };
    await expect(agents.registerAgent({ name: "Long" }, long)).rejects.toMatchObject(TOO_LONG);
    const named = { openEndpoints: urls(50, 20).map((url) => url + "/:agentId".repeat(12)) };
    await expect(agents.registerAgent({ name: "Named" }, named)).rejects.toMatchObject(TOO_LONG);
    const terms = [getFreePriceConfig(), getFixedCreditsConfig(10n)] as const;
    await expect(
      agents.registerAgentAndPlan({ name: "Both" }, long, { name: "Plan" }, ...terms),
    ).rejects.toMatchObject({ ...TOO_LONG, details: [{ path: "agent.agentApiAttributes" }] });
  });

  test("of an earlier release are read, renamed and made shorter, and grow no more", async () => {
    const { agentId } = await agents.registerAgent({ name: "Old" }, {});
    await database.query("update agents set open_endpoints = $1 where agent_id = $2", [
      JSON.stringify(urls(40, 2000)),
      agentId,
    ]);
    const change = (openEndpoints: string[]) =>
      agents.updateAgent(agentId, { agentApiAttributes: { openEndpoints } });
    await agents.updateAgent(agentId, { metadataAttributes: { name: "Renamed" } });
    await expect(change(urls(40, 2001))).rejects.toMatchObject(TOO_LONG);
    await change(urls(39, 2000));
    await expect(change(urls(40, 2000))).rejects.toMatchObject(TOO_LONG);
    expect((await agents.getAgent(agentId)).metadata.agent.openEndpoints).toHaveLength(39);
  });

  test("have headers and credentials of 32,000 characters together", async () => {
    const headers = Object.fromEntries(urls(4, 100).map((_, at) => [`x-${at}`, "y".repeat(8000)]));
    await expect(agents.registerAgent({ name: "Sealed" }, { headers })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("credentials and headers have 32,0"),
    });
  });
});
