import type { Agent } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import type { AgentMarketFacts } from "@/lib/console/market-facts.ts";
import { agentsOfPlan } from "./plan-endpoints.ts";

const ASK = "https://agent.example/ask";
const PRICED = "https://agent.example/ask/priced";
const agent = {
  agentId: "7",
  metadata: { agent: { endpoints: [{ POST: PRICED }, { POST: ASK }] } },
} as unknown as Agent;

/** The endpoints that the page of plan 42 lists, and what it says of them. */
function shown(offers?: AgentMarketFacts["offers"]) {
  const facts = [{ id: "7", offers }] as AgentMarketFacts[];
  const [one] = agentsOfPlan("42", [agent], facts);
  const urls = one?.metadata.agent.endpoints.flatMap((endpoint) => Object.values(endpoint));
  return { urls, note: one?.note };
}

test("an endpoint whose last check saw it offer other plans alone is not listed", () => {
  expect(shown({ [`POST ${ASK}`]: ["42", "43"], [`POST ${PRICED}`]: [] })).toEqual({
    urls: [ASK],
    note: undefined,
  });
});

test("where an endpoint was not checked, its 402 says which plans it accepts", () => {
  const note = "The 402 of each endpoint lists the plans it accepts.";
  expect(shown()).toEqual({ urls: [PRICED, ASK], note });
  expect(shown({ [`POST ${PRICED}`]: ["43"] })).toEqual({ urls: [ASK], note });
});

test("a plan that no endpoint offered yet keeps its endpoints, and says so", () => {
  expect(shown({ [`POST ${ASK}`]: [], [`POST ${PRICED}`]: ["43"] })).toEqual({
    urls: [PRICED, ASK],
    note: "None of these endpoints offered this plan at the last check.",
  });
});
