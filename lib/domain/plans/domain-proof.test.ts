import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import type { DomainFinding } from "@/lib/domain/ports.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { recheckDomains } from "./domain-proof.ts";

const DAY = 86_400;
const absent: DomainFinding = { kind: "absent", reason: "It is not there." };
const unknown: DomainFinding = { kind: "unknown", reason: "No answer." };

describe.each(ruleStores())("the domain of an agent on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;
  /** Agents by the origin that lists them, and what is found at every other place. */
  const listed = new Map<string, string[]>();
  let elsewhere: DomainFinding = absent;
  let asked = 0;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, {
      findDomainProof: async ({ origin, agentId }) => {
        asked += 1;
        // As the real one does, so that what is not an origin fails.
        new URL(origin);
        return listed.get(origin)?.includes(agentId)
          ? { kind: "proved", method: "file" }
          : elsewhere;
      },
    });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    listed.clear();
    elsewhere = absent;
    market = await createMarket(service);
  });

  const check = () => market.builder.market.checkAgentDomain({ agentId: market.agentId });
  const shown = async () => {
    const { agentId, subscriber } = market;
    const { agents } = await subscriber.market.listMarketFacts({ agentIds: agentId });
    return agents[0]?.domain?.host;
  };
  const prove = async () => {
    listed.set("https://agent.example", [market.agentId]);
    return check();
  };
  const advance = (days: number) => market.builder.sandbox.advanceClock(Math.round(days * DAY));

  test("is not proved until it lists the agent, and says what to publish where", async () => {
    expect(await check()).toEqual({
      state: "not-proved",
      host: "agent.example",
      file: {
        url: "https://agent.example/.well-known/turnpike-agents.json",
        content: JSON.stringify({ agents: [market.agentId] }, null, 2),
      },
      record: { name: "_turnpike.agent.example", value: `turnpike-agent=${market.agentId}` },
      reason: "It is not there.",
    });
    expect(await shown()).toBeUndefined();
    expect(await prove()).toMatchObject({ state: "proved", method: "file" });
    expect(await shown()).toBe("agent.example");
  });

  test("is as the newer of two looks found it, whichever answers last", async () => {
    await prove();
    await advance(1.1);
    let now: Awaited<ReturnType<typeof check>> | undefined;
    const findDomainProof = async () => {
      now = await check();
      return absent;
    };
    await recheckDomains({ ...service.ports, findDomainProof });
    expect(now).toMatchObject({ state: "proved" });
    expect(await shown()).toBe("agent.example");
    expect(await market.builder.market.getAgentDomain({ agentId: market.agentId })).toEqual(now);
  });

  test("T29: a builder proves neither another's agent nor another's domain for their own", async () => {
    await prove();
    const thief = await service.party();
    await expect(thief.market.checkAgentDomain({ agentId: market.agentId })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(thief.market.getAgentDomain({ agentId: market.agentId })).rejects.toMatchObject({
      code: "not_found",
    });
    const { agentId } = await thief.payments.agents.registerAgent(
      { name: "Reader" },
      { endpoints: [{ POST: market.endpoint }] },
      [],
    );
    expect(await thief.market.checkAgentDomain({ agentId })).toMatchObject({
      state: "not-proved",
    });
  });

  test("T29: a proof does not follow endpoints to another host, nor does the owner write one", async () => {
    await prove();
    const { agentId, builder } = market;
    const move = (url: string) =>
      builder.payments.agents.updateAgent(agentId, {
        agentApiAttributes: { endpoints: [{ POST: url }] },
        ...{ domainProof: { origin: new URL(url).origin } },
      });
    await move("https://bank.example/ask");
    expect(await shown()).toBeUndefined();
    expect(await builder.market.getAgentDomain({ agentId })).toMatchObject({
      state: "not-proved",
      host: "bank.example",
    });
    await move(market.endpoint);
    expect(await shown()).toBe("agent.example");
  });

  test("endpoints on two hosts have no domain", async () => {
    const { agentId, builder } = market;
    const endpoints = [{ POST: market.endpoint }, { POST: "https://other.example/ask" }];
    await builder.payments.agents.updateAgent(agentId, { agentApiAttributes: { endpoints } });
    asked = 0;
    expect(await check()).toMatchObject({ state: "not-proved", reason: /one host/ });
    expect(asked).toBe(0);
  });

  test("an agent without HTTP has no domain, and keeps no other proof from being checked again", async () => {
    const { agentId, builder } = market;
    await prove();
    const other = await createMarket(service);
    listed.set("https://agent.example", [agentId, other.agentId]);
    const inDomain = { agentId: other.agentId };
    await other.builder.market.checkAgentDomain(inDomain);
    const endpoints = [{ POST: "mcp://reader/tools/count" }];
    await builder.payments.agents.updateAgent(agentId, { agentApiAttributes: { endpoints } });
    const none = { state: "not-proved", reason: expect.stringMatching(/one host/) };
    expect(await builder.market.getAgentDomain({ agentId })).toEqual(none);
    expect(await check()).toEqual(none);
    await advance(1.1);
    listed.clear();
    await recheckDomains(service.ports);
    expect(await other.builder.market.getAgentDomain(inDomain)).toMatchObject({ state: "lost" });
  });

  test("is checked again after a day, and lost with the reason when it is certain", async () => {
    await prove();
    asked = 0;
    await recheckDomains(service.ports);
    expect(asked).toBe(0);
    await advance(1.1);
    // Agents of other tests are due as well.
    expect(await recheckDomains(service.ports)).toBeGreaterThan(0);
    expect(await shown()).toBe("agent.example");
    listed.clear();
    await advance(1.1);
    await recheckDomains(service.ports);
    expect(await shown()).toBeUndefined();
    const { agentId, builder } = market;
    const lost = await builder.market.getAgentDomain({ agentId });
    expect(lost).toMatchObject({ state: "lost", reason: "It is not there." });
    expect(await prove()).toMatchObject({ state: "proved" });
  });

  test("that can't be asked stays proved for three days and is lost after", async () => {
    await prove();
    listed.clear();
    elsewhere = unknown;
    await advance(2);
    await recheckDomains(service.ports);
    const { agentId, builder } = market;
    const kept = await builder.market.getAgentDomain({ agentId });
    expect(kept).toMatchObject({ state: "proved", reason: "No answer." });
    await advance(2);
    await recheckDomains(service.ports);
    expect(await builder.market.getAgentDomain({ agentId })).toMatchObject({ state: "lost" });
  });

  test("is lost after three days in which the endpoints were elsewhere, and does not come back with them", async () => {
    const { provedAt: first } = await prove();
    const { agentId, builder } = market;
    const move = (url: string) =>
      builder.payments.agents.updateAgent(agentId, {
        agentApiAttributes: { endpoints: [{ POST: url }] },
      });
    await move("https://other.example/ask");
    for (let day = 0; day < 3; day += 1) {
      await advance(1.1);
      await recheckDomains(service.ports);
    }
    await move(market.endpoint);
    expect(await shown()).toBeUndefined();
    expect(await builder.market.getAgentDomain({ agentId })).toMatchObject({
      state: "lost",
      lostAt: new Date(Date.parse(first ?? "") + 3 * DAY * 1000).toISOString(),
      reason: "It was not found for three days.",
    });
    const again = await prove();
    expect(again.state).toBe("proved");
    expect(Date.parse(again.provedAt ?? "")).toBeGreaterThan(Date.parse(first ?? ""));
  });

  test("that is found every day stays proved since it was first found", async () => {
    const { provedAt } = await prove();
    for (let day = 0; day < 5; day += 1) {
      await advance(1.1);
      await recheckDomains(service.ports);
    }
    expect(await shown()).toBe("agent.example");
    const { agentId, builder } = market;
    const kept = await builder.market.getAgentDomain({ agentId });
    expect(kept).toMatchObject({ state: "proved", provedAt });
  });
});
