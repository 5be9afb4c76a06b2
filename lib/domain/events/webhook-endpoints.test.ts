import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";

const URL = "https://builder.example/hooks";

describe.each(ruleStores())("webhook endpoints on $name", ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  test("a misnamed field is refused, because without `events` an endpoint gets all", async () => {
    const party = await service.party();
    const misnamed = { url: URL, types: ["key.*"] };
    await expect(party.payments.webhooks.createWebhookEndpoint(misnamed)).rejects.toMatchObject({
      code: "invalid_input",
      message: "createWebhookEndpoint: Unknown field: types.",
    });
    const answer = await service.call(party, "POST", "/webhook-endpoints", misnamed);
    expect([answer.status, (await answer.json()).message]).toEqual([
      422,
      "input: Unknown field: types.",
    ]);
    const named = { url: URL, events: ["key.*"] };
    const added = await service.fetch("http://service.test/api/v1/webhook-endpoints", {
      method: "POST",
      headers: { authorization: `Bearer ${party.apiKey}`, "idempotency-key": "of-every-call" },
      body: JSON.stringify(named),
    });
    expect(added.status).toBe(200);
  });

  test("an account has at most 20, however many are added at once", async () => {
    const { payments } = await service.party();
    const add = () => payments.webhooks.createWebhookEndpoint({ url: URL, events: ["key.*"] });
    const added = await Promise.allSettled(Array.from({ length: 40 }, add));
    expect(added.filter(({ status }) => status === "fulfilled")).toHaveLength(20);
    expect((await payments.webhooks.listWebhookEndpoints()).items).toHaveLength(20);
    await expect(add()).rejects.toMatchObject({
      code: "conflict",
      message: "An account has at most 20 endpoints.",
    });
    const { items } = await payments.webhooks.listWebhookEndpoints();
    await payments.webhooks.deleteWebhookEndpoint(items[0]?.endpointId ?? "");
    expect((await add()).status).toBe("active");
  });
});
