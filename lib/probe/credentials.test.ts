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

const LOGIN = { authType: "BASIC", username: "me", password: "s3cret" } as const;
const endpoints = [{ POST: "https://agent.example/ask" }];

async function register() {
  const api = { endpoints, agentDefinitionUrl: "https://agent.example/openapi.json", ...LOGIN };
  const { agentId } = await builder.payments.agents.registerAgent({ name: "Oracle" }, api, []);
  const sealed = async () => (await service.ports.agents.find(agentId))?.credentials ?? null;
  const update = (agentApiAttributes: Record<string, unknown>) =>
    service.call(builder, "PUT", `/protocol/agents/${agentId}`, { agentApiAttributes });
  return { agentId, sealed, update };
}

test("a change without credentials keeps them", async () => {
  const { sealed, update } = await register();
  const before = await sealed();
  expect(before).not.toBeNull();
  expect(before).not.toContain("s3cret");
  const moved = await update({
    endpoints: [{ GET: "https://agent.example/new" }],
    authType: "BASIC",
  });
  expect(moved.status).toBe(200);
  expect(await moved.text()).not.toContain("s3cret");
  expect(await sealed()).toBe(before);
});

test("new credentials replace the old, and a different authentication type removes them", async () => {
  const { sealed, update } = await register();
  const before = await sealed();
  await update({ endpoints, authType: "BASIC", username: "other", password: "else" });
  expect(await sealed()).not.toBe(before);
  await update({ endpoints, authType: "NONE" });
  expect(await sealed()).toBeNull();
});
