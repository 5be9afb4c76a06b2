import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const URL = "https://builder.example/hooks";
const EVENTS = 5;

describe.each(ruleStores())("figures of webhook endpoints on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let party: TestParty;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    party = await service.party();
    while ((await service.ports.events.sequence()) > 0);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** An endpoint with one delivery of each of these states, made some days ago. */
  async function endpointWith(states: readonly (readonly [string, number])[]): Promise<string> {
    const { webhooks } = party.payments;
    const { endpointId } = await webhooks.createWebhookEndpoint({ url: URL, events: ["key.*"] });
    const { address: account } = party;
    for (const [state] of states) {
      const data = { keyId: state, name: "", preset: "gate", expiresAt: "" };
      await service.ports.events.queue({ account, type: "key.created", subject: state, data });
    }
    while ((await service.ports.events.sequence()) > 0);
    for (const [state, days] of states) {
      await database.query(
        `update webhook_deliveries set state = $3, attempts = 1, created_at = app_now() - make_interval(days => $4),
          tries = '[{"at": "2026-01-01T00:00:00Z", "ms": 12, "status": 200, "headers": {}}]',
          delivered_at = case when $3 = 'delivered' then app_now() end
        where endpoint_id = $1 and subject = $2`,
        [endpointId, state, state.split(" ")[0], days],
      );
    }
    return endpointId;
  }

  test("count what was delivered in a week, and all that waits or failed, as the lists do", async () => {
    const { webhooks } = party.payments;
    const states = [
      ["delivered", 1],
      ["delivered old", 8],
      ["failed", 1],
      ["failed old", 8],
      ["waiting old", 8],
    ] as const;
    const endpointId = await endpointWith(states);
    const { deliveries } = await webhooks.getWebhookEndpoint(endpointId);
    expect(deliveries).toEqual({ delivered: 1, waiting: 1, failed: 2, medianMs: 12 });
    const totalOf = async (status?: "failed" | "waiting") =>
      (await webhooks.listWebhookDeliveries({ endpointId, ...(status && { status }) })).total;
    expect([await totalOf(), await totalOf("failed"), await totalOf("waiting")]).toEqual([
      EVENTS,
      deliveries?.failed,
      deliveries?.waiting,
    ]);
  });

  test("are left out of answers to changes, and where a list is asked without them", async () => {
    const { webhooks } = party.payments;
    const created = await webhooks.createWebhookEndpoint({ url: URL, events: ["key.*"] });
    const { endpointId } = created;
    const updated = await webhooks.updateWebhookEndpoint({ endpointId, status: "disabled" });
    const rotated = await webhooks.rotateWebhookSecret({ endpointId });
    const { items } = await webhooks.listWebhookEndpoints({ withoutFigures: true });
    for (const answer of [created, updated, rotated, ...items]) {
      expect(answer).not.toHaveProperty("deliveries");
    }
    expect(updated.status).toBe("disabled");
    expect((await webhooks.listWebhookEndpoints()).items.at(-1)).toHaveProperty("deliveries");
  });

  test("a delivery that is replayed waits, and is no longer delivered", async () => {
    const { webhooks } = party.payments;
    const endpointId = await endpointWith([["delivered", 1]]);
    const read = async () => (await webhooks.listWebhookDeliveries({ endpointId })).items[0];
    const before = await read();
    expect(before).toMatchObject({ status: "delivered", deliveredAt: expect.any(String) });
    const deliveryId = before?.deliveryId ?? "";
    await webhooks.replayWebhookDelivery({ endpointId, deliveryId });
    const after = await read();
    expect(after).toMatchObject({ status: "waiting", attempts: 0 });
    expect(after?.tries).toHaveLength(1);
    expect(after).not.toHaveProperty("deliveredAt");
  });
});
