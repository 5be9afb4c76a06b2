import { getErc20PriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import type { PlanTerms } from "./plan-terms.ts";
import {
  gateCurl,
  routeConfigOf,
  routeKeyOf,
  subscriberCurl,
  subscriberJavascript,
} from "./subscriber-code.ts";
import { MARKET, OWN_ADDRESS, USDC } from "./testing/arbitrary-plan.ts";

const terms: PlanTerms = {
  price: getErc20PriceConfig(1_000_000n, USDC, OWN_ADDRESS),
  credits: getFixedCreditsConfig(100n, 1n),
  accessLimit: "credits",
  isTrial: false,
};
const agent = { agentId: "7", verb: "POST", url: "https://agent.example/v1/ask/:id?x=1" };

test("the route is the endpoint's verb and path, and the config names this plan and agent", () => {
  expect(routeKeyOf(agent)).toBe("POST /v1/ask/:id");
  expect(routeKeyOf({ verb: "GET", url: "/status" })).toBe("GET /status");
  expect(routeKeyOf({ verb: "GET", url: "https://agent.example" })).toBe("GET /");
  expect(routeConfigOf({ planId: "42", terms, agent })).toEqual({
    "POST /v1/ask/:id": { planId: "42", agentId: "7", credits: 1 },
  });
});

test("samples for an agent with paths alone ask where it runs", () => {
  const sample = { planId: "42", terms, agent: { ...agent, url: "/ask" } };
  for (const command of [gateCurl(sample), subscriberCurl(sample, MARKET)]) {
    expect(command).toMatch(/^AGENT_URL=/m);
    expect(command).toContain(`"$AGENT_URL"'/ask'`);
  }
  const code = subscriberJavascript(sample, MARKET);
  expect(code).toContain('process.env.AGENT_URL + "/ask"');
  expect(code).toMatch(/^\/\/ and with AGENT_URL/m);
});

test("commands quote text from others, and read secrets from variables", () => {
  const hostile = { ...agent, url: "https://agent.example/'; rm -rf ~ #$(id)" };
  const sample = { planId: "42", terms, agent: hostile };
  for (const command of [gateCurl(sample), subscriberCurl(sample, MARKET)]) {
    expect(command).toContain(`'https://agent.example/'\\''; rm -rf ~ #$(id)'`);
  }
  expect(subscriberCurl(sample, MARKET)).toContain("Bearer $TURNPIKE_API_KEY");
});
