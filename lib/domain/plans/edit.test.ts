import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

let database: Database;
let service: TestService;
let builder: TestParty;
beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database);
  builder = await service.party();
});
afterAll(() => database.close());

async function put(path: string, change: object) {
  const answer = await service.call(builder, "PUT", `/protocol/${path}`, change);
  return { status: answer.status, body: await answer.json() };
}

test("a change of an agent without a known field is refused, and names those that are", async () => {
  const endpoints = [{ POST: "https://agent.example/edit" }];
  const { agentId } = await builder.payments.agents.registerAgent({ name: "A" }, { endpoints }, []);
  const before = await builder.payments.agents.getAgent(agentId);
  const moved = { endpoints: [{ POST: "https://agent.example/moved" }] };
  const misnamed = { metadataAttributes: { title: "B" } };
  for (const change of [{ agentApi: moved }, {}, { agentApiAttributes: null }, misnamed]) {
    const { status, body } = await put(`agents/${agentId}`, change);
    expect([status, body]).toMatchObject([
      422,
      {
        code: "invalid_input",
        message:
          "The request has no field to change. Send at least one of `metadataAttributes`, `agentApiAttributes`.",
      },
    ]);
  }
  expect(await builder.payments.agents.getAgent(agentId)).toEqual(before);
  expect((await put(`agents/${agentId}`, { agentApiAttributes: moved, more: 1 })).status).toBe(200);
});

test("a change of a plan without a known field is refused, also with the version it is of", async () => {
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "Starter" },
    getFreePriceConfig(),
    getFixedCreditsConfig(100n, 1n),
  );
  for (const change of [{ metadata: { name: "Pro" } }, { planVersion: 1, status: "listed" }]) {
    const { status, body } = await put(`plans/${planId}`, change);
    expect([status, body.code, body.message]).toEqual([
      422,
      "invalid_input",
      "The request has no field to change. Send at least one of `metadataAttributes`, `priceConfig`, `creditsConfig`, `isTrialPlan`, `state`, `redeemers`.",
    ]);
  }
  expect((await put(`plans/${planId}`, { metadataAttributes: { name: "Pro" } })).status).toBe(200);
});

test("a change of another account's agent stays not found", async () => {
  const other = await service.party();
  const endpoints = [{ POST: "https://agent.example/other" }];
  const { agentId } = await other.payments.agents.registerAgent({ name: "B" }, { endpoints }, []);
  expect((await put(`agents/${agentId}`, {})).status).toBe(404);
});

test("a change of a webhook endpoint or an alert rule without a known field is refused, too", async () => {
  const { payments } = builder;
  const url = "https://hooks.example/edit";
  const { endpointId } = await payments.webhooks.createWebhookEndpoint({ url, events: ["*"] });
  const rules = await payments.alerts.listAlertRules();
  for (const [path, change] of [
    [`webhook-endpoints/${endpointId}`, { state: "disabled" }],
    ["alert-rules/built-in-delegation-used-80", { enabled: false }],
  ] as const) {
    const answer = await service.call(builder, "PUT", `/${path}`, change);
    expect([path, answer.status]).toEqual([path, 422]);
    expect((await answer.json()).message).toContain("no field to change");
  }
  expect(await payments.alerts.listAlertRules()).toEqual(rules);
});
