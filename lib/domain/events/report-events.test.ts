import { InvalidReason } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

describe.each(ruleStores())("events of reported requests on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    market = await createMarket(service);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const report = (id: string, status: string, reason: string) =>
    database.query(
      `insert into request_reports (request_key, builder, agent_request_id, at, method, path, http_status, money_status, reason)
        values ($1 || '/' || $2, $1, $2, app_now(), 'POST', '/ask', 200, $3, $4)`,
      [market.builder.address, id, status, reason],
    );
  const setPayer = (id: string) =>
    database.query("update request_reports set payer = $2 where agent_request_id = $1", [
      id,
      market.subscriber.address,
    ]);
  /** The types and reasons that a party is told of a request. */
  const toldOf = async ({ address }: TestParty, id: string) => {
    while ((await service.ports.events.sequence()) > 0);
    const events = await service.ports.events.list(address, 0, 1_000);
    return events
      .map(({ type, data }) => ({ type, ...JSON.parse(data) }))
      .filter(
        ({ type, agentRequestId }) => agentRequestId === id && /declined|unsettled/.test(type),
      )
      .map(({ type, reason }) => [type, reason]);
  };

  test("a payer who is known by their reservation is told once, and not in the gate's own words", async () => {
    const { builder, subscriber } = market;
    const agentRequestId = freshId();
    await createPermissionCalls(service, market).verify({ agentRequestId, reserve: true });
    await report(agentRequestId, "delivered-unsettled", "our broker at 10.0.0.7 was away");
    await setPayer(agentRequestId);
    expect(await toldOf(subscriber, agentRequestId)).toEqual([["request.unsettled", undefined]]);
    expect(await toldOf(builder, agentRequestId)).toEqual([
      ["request.unsettled", "our broker at 10.0.0.7 was away"],
    ]);
  });

  test.each(InvalidReason.options)("a payer who becomes known is told of %s", async (reason) => {
    const { builder, subscriber } = market;
    const agentRequestId = freshId();
    await report(agentRequestId, "refused", reason);
    expect(await toldOf(subscriber, agentRequestId)).toEqual([]);
    await setPayer(agentRequestId);
    await setPayer(agentRequestId);
    expect(await toldOf(subscriber, agentRequestId)).toEqual([["request.declined", reason]]);
    expect(await toldOf(builder, agentRequestId)).toEqual([["request.declined", reason]]);
  });
});
