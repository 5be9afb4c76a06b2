import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { disableOverfull } from "./deliver.ts";

const MOST = 20;

describe.each(ruleStores())("endpoints that take less than they are sent, on $name", ({ open }) => {
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

  /** An endpoint for which so many events wait, since so many seconds, and the events of its account. */
  async function listen(waiting: number, { tries = 0, seconds = 0 }) {
    const { payments } = await service.party();
    const url = "https://builder.example/hooks";
    const { endpointId } = await payments.webhooks.createWebhookEndpoint({
      ...{ url, events: ["plan.created"] },
    });
    for (let event = 0; event < waiting; event++) {
      await payments.webhooks.testWebhookEndpoint(endpointId);
    }
    while ((await service.ports.events.sequence()) > 0);
    await database.query(
      "update webhook_deliveries set attempts = $2, due_at = app_now() - make_interval(secs => $3) where endpoint_id = $1",
      [endpointId, tries, seconds],
    );
    return { payments, endpoint: () => payments.webhooks.getWebhookEndpoint(endpointId) };
  }
  const stop = () => disableOverfull(service.ports, MOST);

  test("one for which too many wait is disabled with the cause, and after its owner enables it has time to take them", async () => {
    const late = await listen(MOST + 1, { seconds: 301 });
    const failing = await listen(MOST + 1, { tries: 1, seconds: -3_600 });
    const fresh = await listen(MOST + 1, { seconds: 60 });
    const within = await listen(MOST, { tries: 3, seconds: 3_600 });
    expect(await stop()).toBe(2);
    for (const { endpoint } of [late, failing]) {
      expect(await endpoint()).toMatchObject({
        status: "disabled",
        disabled: { reason: "More than 20 events waited for it." },
      });
    }
    for (const { endpoint } of [fresh, within]) {
      expect(await endpoint()).toMatchObject({ status: "active" });
    }
    const { payments, endpoint } = late;
    const { endpointId } = await endpoint();
    await payments.webhooks.updateWebhookEndpoint({ endpointId, status: "active" });
    expect(await stop()).toBe(0);
    expect(await endpoint()).toMatchObject({ status: "active" });
  });
});
