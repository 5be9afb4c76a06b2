import type { Agent } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { changedHref } from "../list-query.ts";
import { readAgentListQuery, selectAgents } from "./agent-list.ts";

const agent = (at: number, over: { plans?: string[]; name?: string } = {}): Agent => ({
  id: String(at),
  agentId: String(at),
  owner: "0x1",
  metadata: {
    main: { name: over.name ?? `Agent ${at}` },
    agent: {
      endpoints: [{ POST: `https://host${at}.example/ask` }],
      openEndpoints: [],
      agentDefinitionUrl: `https://host${at}.example/openapi.json`,
      authType: "NONE",
    },
  },
  plans: over.plans ?? ["42"],
  createdAt: new Date(1e12 - at * 1000).toISOString(),
  updatedAt: new Date(1e12).toISOString(),
});

const agents = Array.from({ length: 60 }, (_, at) => agent(at));

test("pages through all agents by cursor, and back", () => {
  const first = selectAgents(agents, { sort: "newest" });
  expect([first.rows.length, first.total, first.newer, first.older]).toEqual([
    25,
    60,
    undefined,
    "24",
  ]);
  const second = selectAgents(agents, { sort: "newest", after: "24" });
  expect([second.rows[0]?.agentId, second.newer, second.older]).toEqual(["25", "", "49"]);
  const third = selectAgents(agents, { sort: "newest", after: "49" });
  expect([third.rows.length, third.newer, third.older]).toEqual([10, "24", undefined]);
});

test("search matches names, hosts and ids, combined with filters and order", () => {
  const all = [agent(1, { name: "Zebra", plans: [] }), agent(2, { name: "Ant" })];
  const names = (query: Parameters<typeof selectAgents>[1]) =>
    selectAgents(all, query).rows.map(({ name }) => name);
  expect(names({ sort: "newest", q: "zebra host1" })).toEqual(["Zebra"]);
  expect(names({ sort: "name" })).toEqual(["Ant", "Zebra"]);
  expect(names({ sort: "oldest" })).toEqual(["Ant", "Zebra"]);
  expect(names({ sort: "newest", only: "plans" })).toEqual(["Zebra"]);
  expect(names({ sort: "newest", only: "definition" })).toEqual([]);
});

test("the URL holds the whole query, and unknown values are ignored", () => {
  expect(readAgentListQuery({ q: " a ", sort: "evil", without: ["plans"], after: "7" })).toEqual({
    sort: "newest",
    q: "a",
    after: "7",
  });
  const query = { sort: "name", q: "a&b", after: "7" } as const;
  expect(changedHref("/agents", query, { only: "plans" })).toBe(
    "/agents?q=a%26b&only=plans&sort=name",
  );
  expect(changedHref("/agents", { sort: "newest" }, {})).toBe("/agents");
});

test("an agent with paths alone has no host: its definition is served here, not where it runs", () => {
  const one = agent(7);
  one.metadata.agent.endpoints = [{ POST: "/ask" }];
  one.metadata.agent.agentDefinitionUrl =
    "http://localhost:3000/api/v1/protocol/agents/7/openapi.json";
  expect(selectAgents([one], { sort: "newest" }).rows[0]?.host).toBe("");
});
