import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { drizzle } from "drizzle-orm/pg-proxy";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgents } from "@/lib/adapters/db/agents.ts";
import type { Database, Orm } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const ASKED = [{ verb: "POST", url: "https://a.example/1" }];

describe.each(ruleStores())("endpoints that an account has, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let agents: TestParty["payments"]["agents"];

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    ({ agents } = (await service.party()).payments);
  });
  afterAll(() => database.close());

  const register = (by: typeof agents, ...endpoints: Record<string, string>[]) =>
    by.registerAgent({ name: "Asker" }, { endpoints });

  test("are refused for another agent of it, until the first one is archived", async () => {
    const [ask, long] = ["https://b.example/ask", `https://b.example/${"ü".repeat(2000)}`];
    const { agentId } = await register(agents, { GET: "/status" }, { POST: ask }, { GET: long });
    const refused = { code: "conflict", message: expect.stringContaining(agentId) };
    const other = { POST: "https://b.example/other" };
    await expect(register(agents, other, { POST: ask })).rejects.toMatchObject(refused);
    await expect(register(agents, { GET: long })).rejects.toMatchObject(refused);
    await register(agents, other, { GET: ask }, { GET: "/status" });
    await register((await service.party()).payments.agents, { POST: ask });
    await agents.archiveAgent(agentId);
    await register(agents, { POST: ask });
    await expect(agents.restoreAgent(agentId)).rejects.toMatchObject({ code: "conflict" });
  });

  test("are one agent's, however many are registered, changed and restored at once", async () => {
    const many = <T>(work: (n: number) => Promise<T>) =>
      Promise.allSettled([1, 2, 3].map((n) => work(n)));
    const accepted = async (work: ReturnType<typeof many>) =>
      (await work).filter(({ status }) => status === "fulfilled").length;
    const once = { POST: "https://c.example/once" };
    expect(await accepted(many(() => register(agents, once)))).toBe(1);

    const others = await Promise.all(
      [1, 2, 3].map((n) => register(agents, { POST: `https://c.example/${n}` })),
    );
    const moved = { endpoints: [{ POST: "https://c.example/moved" }] };
    const move = (n: number) =>
      agents.updateAgent(others[n - 1]?.agentId ?? "", { agentApiAttributes: moved });
    expect(await accepted(many(move))).toBe(1);

    const again = { POST: "https://c.example/again" };
    const archived: string[] = [];
    for (let n = 0; n < 3; n++) {
      const { agentId } = await register(agents, again);
      await agents.archiveAgent(agentId);
      archived.push(agentId);
    }
    const restore = (n: number) => agents.restoreAgent(archived[n - 1] ?? "");
    expect(await accepted(many(restore))).toBe(1);
  });

  test("and their origins are found by an index, however many agents one account has registered since the last analysis", async () => {
    const { address } = await service.party();
    const other = (await service.party()).payments;
    const terms = [{ name: "Starter" }, getFreePriceConfig(), getFixedCreditsConfig(10n)] as const;
    const { planId } = await other.plans.registerCreditsPlan(...terms);
    const endpoints = [{ POST: "https://a.example/other" }];
    await other.agents.registerAgent({ name: "Other" }, { endpoints }, [planId]);
    const insert = (count: number) =>
      database.query(
        `insert into agents (agent_id, owner, metadata, endpoints, open_endpoints, auth_type, created_at, updated_at)
         select gen_random_uuid(), $1, '{"name": "x"}', jsonb_build_array(jsonb_build_object('verb', 'POST', 'url', 'https://a.example/' || n)), '[]', 'NONE', now(), now()
         from generate_series(2, $2::int) n`,
        [address, count + 1],
      );
    await insert(3);
    await database.query("analyze agents");
    await insert(500);
    const explained: string[] = [];
    const orm = drizzle(async (text, parameters) => {
      explained.push(JSON.stringify(await database.query(`explain (analyze) ${text}`, parameters)));
      return { rows: [] };
    });
    const { findByEndpoint, listByPlan } = createAgents(orm as unknown as Orm);
    await findByEndpoint(address, ASKED);
    expect(explained.splice(0).join()).toContain("Bitmap Index Scan on agents_endpoints");
    // What the first statement answers here is no page: the list ends at it.
    await listByPlan(planId, {}, ["https://a.example"]).catch(() => {});
    // Of one account alone: anyone can register agents at an origin.
    expect(explained.join()).toMatch(
      /Bitmap Index Scan on agents_origins [^"]*actual[^"]* rows=1[ .]/,
    );
    expect(explained.join()).toContain("Bitmap Index Scan on agents_archived_origins");
  });
});
