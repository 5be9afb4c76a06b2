import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { deleteOld } from "@/lib/adapters/db/figures/retention.ts";
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

  test("one is removed at once, whatever it was sent, and its deliveries go piece by piece", async () => {
    const { payments } = await service.party();
    const { webhooks } = payments;
    const { endpointId } = await webhooks.createWebhookEndpoint({ url: URL, events: ["key.*"] });
    await webhooks.rotateWebhookSecret({ endpointId });
    const left = async () =>
      Number((await rowsOf("count(*) as value from webhook_deliveries", endpointId))[0]?.value);
    await database.query(
      `insert into webhook_deliveries (endpoint_id, account, sequence, type, subject, state, attempts, due_at, fence, tries, created_at)
       select endpoint_id, account, 1000 + n, 'key.created', 's' || n, 'delivered', 1, app_now(), 1, '[]', app_now()
       from webhook_endpoints, generate_series(1, 5000) n where endpoint_id = $1`,
      [endpointId],
    );
    await webhooks.deleteWebhookEndpoint(endpointId);
    // Deleting millions takes longer than a request has.
    expect(await left()).toBe(5000);
    expect((await webhooks.listWebhookEndpoints()).items).toEqual([]);
    for (const use of [
      () => webhooks.deleteWebhookEndpoint(endpointId),
      () => webhooks.updateWebhookEndpoint({ endpointId, status: "active" }),
    ])
      await expect(use()).rejects.toMatchObject({ code: "not_found" });
    expect(
      await rowsOf(
        "secret || coalesce(previous_secret, '') as value from webhook_endpoints",
        endpointId,
      ),
    ).toEqual([{ value: "" }]);
    const days = { reports: 0, deliveries: 0, mails: 0, events: 0 };
    await deleteOld(database, days);
    expect(await left()).toBe(3000);
    while ((await deleteOld(database, days)) > 0);
    expect(await rowsOf("url as value from webhook_endpoints", endpointId)).toEqual([]);
    expect(await left()).toBe(0);
  });

  const rowsOf = (what: string, endpointId: string) =>
    database.query<{ value: string }>(`select ${what} where endpoint_id = $1`, [endpointId]);
});
