import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestService } from "@/lib/server/testing/test-service.ts";
import type { Database } from "../client.ts";
import { openRuleStore } from "../testing/stores.ts";

let database: Database;
beforeAll(async () => {
  database = await openRuleStore();
});
afterAll(() => database.close());

test("an endpoint that hundreds of thousands of deliveries wait for is enabled, and gets the oldest and what failed at once", async () => {
  const { payments } = await createTestService(database).party();
  const url = "https://builder.example/hooks";
  const { endpointId } = await payments.webhooks.createWebhookEndpoint({ url, events: ["*"] });
  await database.query(
    `insert into webhook_deliveries (endpoint_id, account, sequence, type, subject, state, attempts, due_at, fence, tries, created_at)
     select endpoint_id, account, 1000 + n, 'request.settled', 's' || n, case n when 25000 then 'failed' else 'waiting' end, 3,
       app_now() + interval '1 hour', 1, '[]'::jsonb, app_now()
     from webhook_endpoints, generate_series(1, 25000) n where endpoint_id = $1`,
    [endpointId],
  );
  await database.query("select disable_endpoint($1, 'It failed.')", [endpointId]);
  await payments.webhooks.updateWebhookEndpoint({ endpointId, status: "active" });
  const [row] = await database.query(
    `select count(*)::int as reset, count(*) filter (where sequence = 26000)::int as failed, max(sequence) filter (where sequence < 26000)::int as last
     from webhook_deliveries where attempts = 0 and due_at <= app_now() and state = 'waiting'`,
    [],
  );
  expect(row).toEqual({ reset: 20_000, failed: 1, last: 1_000 + 19_999 });
});
