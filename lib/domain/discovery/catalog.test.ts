import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { sumRequests } from "@/lib/adapters/db/testing/sum-requests.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import type { Context } from "../context.ts";
import { readCatalog } from "./catalog.ts";

const SEEN = "2026-11-01T00:00:00Z";

describe.each(ruleStores())("the catalog on $name", ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(() => database.close());

  const read = () => readCatalog({ ports: service.ports } as Context);
  const itemsOf = async ({ agentId }: TestMarket) =>
    (await read())
      .map(({ item }) => item())
      .filter((item) => JSON.stringify(item).includes(agentId));
  const check = ({ agentId }: TestMarket, offers: Record<string, string[]>) =>
    service.ports.agents.setDoctorRun(agentId, { at: SEEN, passed: 21, checks: 23, offers });
  const settle = async ({ builder, planId, agentId, endpoint, token }: TestMarket) => {
    const asked = { planId, endpoint, agentId, httpVerb: "POST" };
    const paymentRequired = await builder.payments.x402.buildPaymentRequired(asked);
    const paid = { paymentRequired, x402AccessToken: token, maxAmount: "1" };
    expect((await builder.payments.facilitator.settlePermissions(paid)).success).toBe(true);
  };
  const prove = ({ agentId, endpoint }: TestMarket) =>
    service.ports.agents.setDomainProof(
      agentId,
      {
        origin: new URL(endpoint).origin,
        method: "file",
        ...{ provedAt: new Date().toISOString(), seenAt: new Date().toISOString() },
        checkedAt: new Date().toISOString(),
      },
      null,
    );
  /** Agents of the market's seller, as new as can be, each checked with `offers`. */
  const fill = ({ agentId }: TestMarket, count: number, offers: object) =>
    database.query(
      `with filler as (
        insert into agents (agent_id, owner, metadata, endpoints, open_endpoints, auth_type, created_at, updated_at, doctor_run)
        select agent_id || '-' || n, owner, metadata, endpoints, open_endpoints, auth_type, now(), now() + interval '1 day',
          jsonb_build_object('at', $3::text, 'passed', 21, 'checks', 23, 'offers', $4::jsonb)
        from agents, generate_series(1, $2::int) n where agent_id = $1 returning agent_id)
      insert into agent_plans select f.agent_id, l.plan_id from filler f, agent_plans l where l.agent_id = $1`,
      [agentId, count, SEEN, JSON.stringify(offers)],
    );

  test("what was called comes first, then proved domains, then checks, the oldest first, past a seller with many", async () => {
    const old = await createMarket(service);
    const [called, both, proved, young, many] = await Promise.all(
      [1, 2, 3, 4, 5].map(() => createMarket(service)),
    );
    if (!called || !both || !proved || !young || !many) throw new Error("no market");
    const offersOf = ({ endpoint, planId }: TestMarket) => ({ [`POST ${endpoint}`]: [planId] });
    for (const market of [young, both, old, called]) await check(market, offersOf(market));
    for (const market of [proved, both]) await prove(market);
    await settle(called);
    await fill(many, 20, offersOf(many));
    const isMany = `agent_id like '${many.agentId}-%'`;
    await database.query(`update agents set created_at = 'epoch' where ${isMany}`, []);
    const since = new Date(Date.now() - 86_400_000);
    const ids = await service.ports.business.reachedAgents(since, { each: 2, all: 9 });
    const mine = [called, both, proved, old, young].map(({ agentId }) => agentId);
    expect(ids.filter((id) => mine.includes(id))).toEqual(mine);
    expect(ids.filter((id) => id.startsWith(many.agentId))).toHaveLength(2);
    await database.query(`delete from agent_plans where ${isMany}`, []);
    await database.query(`delete from agents where ${isMany}`, []);
  });

  test("agents of one account crowd out no one, whether they were reached or not", async () => {
    const [called, checked, proved] = await Promise.all([1, 2, 3].map(() => createMarket(service)));
    const filler = await createMarket(service);
    if (!called || !checked || !proved) throw new Error("no market");
    await settle(called);
    await check(checked, { [`POST ${checked.endpoint}`]: [checked.planId] });
    await prove(proved);
    await fill(filler, 1_100, {});
    for (const market of [called, checked, proved]) expect(await itemsOf(market)).toHaveLength(1);
    expect(await itemsOf(filler)).toEqual([]);

    await database.query("delete from agent_plans where agent_id like $1", [`${filler.agentId}-%`]);
    await database.query("delete from agents where agent_id like $1", [`${filler.agentId}-%`]);
    await fill(filler, 1_100, { [`POST ${filler.endpoint}`]: [filler.planId] });
    for (const market of [called, checked, proved]) expect(await itemsOf(market)).toHaveLength(1);
    expect(await itemsOf(filler)).toHaveLength(50);
  });

  test("a seller's own calls reach no one, before and after they are summed", async () => {
    const market = await createMarket(service);
    const { builder, planId, agentId } = market;
    await builder.payments.plans.orderPlan(planId);
    const { accessToken } = await builder.payments.x402.getX402AccessToken(planId, agentId);
    const listed = async () => (await itemsOf(market)).length;
    await settle({ ...market, token: accessToken });
    const before = [await listed()];
    await sumRequests(database, 1);
    expect([...before, await listed()]).toEqual([0, 0]);
    await settle(market);
    const after = [await listed()];
    await sumRequests(database, 1);
    expect([...after, await listed()]).toEqual([1, 1]);
  });

  test("another's endpoint, whose 402 offers other plans, is listed with none of theirs and none of its checks", async () => {
    const [seller, imitator] = [await createMarket(service), await createMarket(service)];
    expect(imitator.endpoint).toBe(seller.endpoint);
    const seen = { [`POST ${seller.endpoint}`]: [seller.planId] };
    await check(seller, seen);
    await check(imitator, seen);
    expect(await itemsOf(seller)).toHaveLength(1);
    expect(await itemsOf(imitator)).toEqual([]);
    // Paid calls, of which two accounts can arrange some, do not change what was seen.
    await settle(imitator);
    expect(await itemsOf(imitator)).toEqual([]);
    // They list an endpoint whose offers no check saw, without what the checks of another's server found.
    await check(imitator, {});
    const [unseen] = await itemsOf(imitator);
    expect(unseen?.extensions.measured).toMatchObject({ info: { settled: 1 } });
    expect(unseen?.extensions.measured).not.toMatchObject({ info: { doctor: expect.anything() } });
    // The owner of the domain sells there what they want.
    await check(imitator, seen);
    await prove(imitator);
    const [own] = await itemsOf(imitator);
    expect(own?.accepts.map(({ extra }) => extra?.planId)).toHaveLength(1);
    expect(own?.extensions.measured).toMatchObject({ info: { doctor: { passed: 21 } } });
  });
});
