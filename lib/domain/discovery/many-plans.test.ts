import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

describe.each(ruleStores())("agents of many plans on $name", ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(() => database.close());

  /** As earlier releases let an account do: plans that are all linked to the agent. */
  const linkPlans = ({ planId, agentId }: TestMarket, count: number) =>
    database.query(
      `with copies as (select (planned.plan_id::numeric + n)::text as id, planned.plan_id from plans planned, generate_series(1, $2::int) n where plan_id = $1),
        made as (insert into plans select (jsonb_populate_record(p, jsonb_build_object('plan_id', c.id, 'nonce', null, 'state', 'listed'))).*
          from plans p join copies c using (plan_id) returning 1),
        versions as (insert into plan_versions select (jsonb_populate_record(v, jsonb_build_object('plan_id', c.id))).*
          from plan_versions v join copies c using (plan_id) returning 1)
      insert into agent_plans select $3, id from copies`,
      [planId, count, agentId],
    );

  test("the catalog lists as many offers as a 402 has, those that were seen, and makes none for other pages", async () => {
    const market = await createMarket(service);
    const { agentId, planId, builder } = market;
    await linkPlans(market, 2_000);
    const seen = (BigInt(planId) + 1_999n).toString();
    const paths = Array.from({ length: 100 }, (_, n) => `https://many.example/${n}`);
    await builder.payments.agents.updateAgent(agentId, {
      agentApiAttributes: { endpoints: paths.map((POST) => ({ POST })) },
    });
    const checked = { at: "2026-11-01T00:00:00Z", passed: 21, checks: 23 };
    const offers = { "POST https://many.example/0": [seen] };
    await service.ports.agents.setDoctorRun(agentId, { ...checked, offers });
    const now = new Date().toISOString();
    const proof = { origin: "https://many.example", method: "file", provedAt: now } as const;
    const seenNow = { ...proof, seenAt: now, checkedAt: now };
    await service.ports.agents.setDomainProof(agentId, seenNow, null);
    const made = vi.spyOn(service.ports.rails, "getByPrice");
    for (const path of [
      "resources?limit=2",
      "search?query=many&limit=2",
      "resources?limit=2&type=http",
    ]) {
      made.mockClear();
      const answer = await service.call(null, "GET", `/x402/discovery/${path}`);
      const { items, resources = items } = await answer.json();
      expect(resources).toHaveLength(2);
      for (const { accepts } of resources) {
        expect(accepts).toHaveLength(20);
        expect(JSON.stringify(accepts)).toContain(seen);
      }
      expect(made.mock.calls.length).toBeLessThanOrEqual(20);
    }
  });

  test("an agent's endpoints are all listed, however many have a plan of their own", async () => {
    const market = await createMarket(service);
    const { agentId, planId, builder } = market;
    await linkPlans(market, 99);
    const urls = Array.from({ length: 100 }, (_, n) => `https://own.example/${n}`);
    await builder.payments.agents.updateAgent(agentId, {
      agentApiAttributes: { endpoints: urls.map((POST) => ({ POST })) },
    });
    const own = urls.map((url, n) => [`POST ${url}`, [String(BigInt(planId) + BigInt(n))]]);
    const offers = Object.fromEntries(own);
    const at = "2026-11-01T00:00:00Z";
    await service.ports.agents.setDoctorRun(agentId, { at, passed: 21, checks: 23, offers });
    const path = "/x402/discovery/resources?query=own.example&limit=1";
    const answer = await service.call(null, "GET", path);
    expect((await answer.json()).pagination.total).toBe(100);
  });

  test("a catalog of many endpoints is read once for all who ask for parts of it, a small one each time", async () => {
    const { agentId } = await createMarket(service);
    const read = vi.spyOn(service.reads.business, "reachedAgents");
    const ask = async (...queries: string[]) => {
      read.mockClear();
      const paths = queries.map((query) => `/x402/discovery/resources?limit=1&${query}`);
      const answers = paths.map((path) => service.call(null, "GET", path));
      for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
      return read.mock.calls.length;
    };
    await ask("offset=1");
    expect(await ask("offset=2")).toBe(1);
    const url = "https://many.example/";
    await database.query(
      `with more as (
        insert into agents (agent_id, owner, metadata, endpoints, open_endpoints, auth_type, created_at, updated_at, domain_proof)
        select agent_id || '-' || n, owner, metadata, (select jsonb_agg(jsonb_build_object('verb', 'POST', 'url', $2 || n || '/' || e)) from generate_series(1, 100) e),
          open_endpoints, auth_type, now(), now(), jsonb_build_object('origin', 'https://many.example', 'method', 'file', 'provedAt', now(), 'seenAt', now(), 'checkedAt', now())
        from agents, generate_series(1, 6) n where agent_id = $1 returning agent_id)
      insert into agent_plans select m.agent_id, l.plan_id from more m, agent_plans l where l.agent_id = $1`,
      [agentId, url],
    );
    expect(await ask("offset=3", "offset=4", "query=many", "type=http")).toBe(1);
    expect(await ask("offset=5", "scheme=svc:erc4337")).toBe(0);
  });

  test("an answer of a large catalog is 30 seconds old at most, and some seconds after a change through this process", async () => {
    const { planId, builder } = await createMarket(service);
    const { plans } = builder.payments;
    let later = 0;
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + later);
    const read = vi.spyOn(service.reads.business, "reachedAgents");
    const ask = async (offset: number) => {
      const path = `/x402/discovery/resources?limit=1&query=many&offset=${offset}`;
      expect((await service.call(null, "GET", path)).status).toBe(200);
      return read.mock.calls.length;
    };
    later = 60_000;
    read.mockClear();
    expect(await ask(7)).toBe(1);
    later += 24_000;
    expect(await ask(8)).toBe(1);
    later += 6_000;
    expect(await ask(8)).toBe(2);
    // Not once for every change: reading it takes its time.
    await plans.updatePlan(planId, { metadataAttributes: { name: "Renamed" } });
    expect(await ask(8)).toBe(2);
    await plans.archivePlan(planId);
    later += 5_001;
    expect(await ask(8)).toBe(3);
    clock.mockRestore();
  });

  test("an agent has at most 100 plans, also of two that are linked at once", async () => {
    const market = await createMarket(service);
    const { agents, plans } = market.builder.payments;
    await linkPlans(market, 98);
    const terms = [getFreePriceConfig(), getFixedCreditsConfig(10n)] as const;
    const more = [1, 2, 3].map((n) => plans.registerCreditsPlan({ name: `Plan ${n}` }, ...terms));
    const ids = (await Promise.all(more)).map(({ planId }) => planId);
    const link = (planId: string) => agents.addPlanToAgent(market.agentId, planId);
    const linked = await Promise.allSettled(ids.map(link));
    expect(linked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refused = linked.filter(({ status }) => status === "rejected");
    expect(refused).toMatchObject(Array(2).fill({ reason: { code: "conflict" } }));
    // A plan that is linked stays so, and another fits once it was removed.
    await expect(link(market.planId)).resolves.toMatchObject({ success: true });
    await agents.removePlanFromAgent(market.agentId, market.planId);
    await expect(link(market.planId)).resolves.toMatchObject({ success: true });
  });
});
