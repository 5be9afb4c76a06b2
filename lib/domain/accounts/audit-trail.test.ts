import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

describe.each(ruleStores())("the audit trail on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    market = await createMarket(service);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const listAudit = (query: Record<string, unknown> = {}, by = market.builder) =>
    by.payments.audit.listAudit(query);

  test("says who changed a plan, with which key, from where, and what it was before", async () => {
    const { builder, planId } = market;
    const { keyId } = await builder.payments.apiKeys.createApiKey({ name: "second" });
    const other = await builder.payments.apiKeys.createApiKey({ name: "third" });
    const request = new Request(`http://service.test/api/v1/protocol/plans/${planId}`, {
      method: "PUT",
      headers: {
        authorization: `Bearer ${other.apiKey}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ metadataAttributes: { name: "Renamed" } }),
    });
    expect((await service.serve(request, { address: "192.0.2.7" })).status).toBe(200);

    const { items } = await listAudit({ action: "plan.update" });
    expect(items).toEqual([
      {
        entryId: expect.stringMatching(/^\d+$/),
        action: "plan.update",
        subject: planId,
        keyId: other.keyId,
        address: "192.0.2.7",
        requestId: expect.any(String),
        before: { metadata: { main: { name: expect.any(String) } } },
        after: { metadata: { main: { name: "Renamed" } } },
        createdAt: expect.any(String),
      },
    ]);
    expect((await listAudit({ action: "api-key", keyId })).items).toEqual([]);
    expect(JSON.stringify(items[0]?.before)).not.toContain("Renamed");
    const created = (await listAudit({ action: "api-key" })).items.map(({ subject }) => subject);
    expect(created.slice(0, 2)).toEqual([other.keyId, keyId]);
  });

  test("says whose right to redeem a plan's credits was given and taken", async () => {
    const { payments, address } = await service.party();
    const { planId } = await payments.plans.registerCreditsPlan(
      { name: "Team" },
      getFreePriceConfig(),
      getFixedCreditsConfig(10n),
    );
    const member = (await service.party()).address;
    await payments.plans.updatePlan(planId, { redeemers: [address, member] });
    await payments.plans.updatePlan(planId, { redeemers: [member, address], state: "unlisted" });
    await payments.plans.updatePlan(planId, { redeemers: [address] });
    const { items } = await payments.audit.listAudit({ action: "plan.update" });
    const both = [address, member].toSorted();
    expect(items.map(({ before, after }) => [before?.redeemers, after?.redeemers])).toEqual([
      [both, [address]],
      [undefined, undefined],
      [[], both],
    ]);
  });

  test("an agent's credentials are never in it", async () => {
    const { builder, agentId } = market;
    await builder.payments.agents.updateAgent(agentId, {
      metadataAttributes: { name: "Guarded" },
      agentApiAttributes: { authType: "BEARER", token: "s3cret-of-the-agent" },
    });
    const { items } = await listAudit({ action: "agent.update" });
    expect(JSON.stringify(items[0]?.after)).toContain('"name":"Guarded"');
    expect(JSON.stringify(items)).not.toMatch(/s3cret|credentials/);
  });

  test("a small change of a large agent is a small note", async () => {
    const { agents } = market.builder.payments;
    const urls = Array.from({ length: 100 }, (_, at) => `https://large.example/${at}`.padEnd(190));
    const openEndpoints = urls.map((url) => url.replaceAll(" ", "x"));
    const { agentId } = await agents.registerAgent({ name: "Large" }, { openEndpoints });
    await agents.updateAgent(agentId, { metadataAttributes: { name: "Small" } });
    const [renamed] = (await listAudit({ action: "agent.update" })).items;
    expect(renamed?.before).toEqual({ metadata: { main: { name: "Large" } } });
    const change = async (changed: string[]) => {
      await agents.updateAgent(agentId, { agentApiAttributes: { openEndpoints: changed } });
      return (await listAudit({ action: "agent.update" })).items[0];
    };
    const moved = await change(openEndpoints.with(70, "https://moved.example"));
    expect(moved?.before).toEqual({
      metadata: { agent: { openEndpoints: [openEndpoints[70], "… (100 in all)"] } },
    });
    const emptied = await change([]);
    const named = openEndpoints.map((url) => `${url.slice(0, 80)}… (190 characters)`);
    expect(emptied?.before).toEqual({
      metadata: { agent: { openEndpoints: named.with(70, "https://moved.example") } },
    });
    expect(emptied?.after).toEqual({ metadata: { agent: { openEndpoints: [] } } });
  });

  test("pages without a gap, and a period holds what was changed in it", async () => {
    const all = await listAudit({ limit: 100 });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listAudit({ limit: 2, ...(cursor && { cursor }) });
      seen.push(...page.items.map(({ entryId }) => entryId));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(all.items.map(({ entryId }) => entryId));
    expect(all.total).toBe(seen.length);
    const [newest] = all.items;
    expect((await listAudit({ since: newest?.createdAt })).items[0]).toEqual(newest);
    expect((await listAudit({ until: all.items.at(-1)?.createdAt })).items).toEqual([]);
  });

  test.each(["x", "-1", "0", "1e3", "9".repeat(30)])("refuses the cursor %s", async (cursor) => {
    await expect(listAudit({ cursor })).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("other accounts see their own changes only", async () => {
    const stranger = await service.party();
    const { items } = await listAudit({}, stranger);
    expect(JSON.stringify(items)).not.toContain(market.planId);
    expect(items.every(({ action }) => action === "api-key.create")).toBe(true);
  });
});
