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

  test("a call refused with a made-up token is stored and counted, and is no event", async () => {
    const { builder } = market;
    const agentRequestId = freshId();
    await report(agentRequestId, "refused", "invalid_token");
    expect(await toldOf(builder, agentRequestId)).toEqual([]);
    expect(await service.ports.activity.find(builder.address, agentRequestId)).toMatchObject({
      moneyStatus: "refused",
    });
  });

  const seen = async ({ builder, planId }: TestMarket, moneyStatus: string, count = 200) => {
    const request = { at: new Date().toISOString(), method: "POST", path: "/ask", planId };
    const requests = Array(count).fill({ ...request, httpStatus: 200, moneyStatus });
    const response = await service.call(builder, "POST", "/requests/report", { requests });
    expect(await response.json()).toEqual({ accepted: count });
  };
  const eventsOf = async ({ builder: { address } }: TestMarket) => {
    while ((await service.ports.events.sequence()) > 0);
    const events = await service.ports.events.list(address, 0, 2_000);
    return events.filter(({ type }) => type === "request.unsettled").length;
  };

  test("calls refused with made-up tokens use up no events of calls that were delivered, or declined to a known payer", async () => {
    const flooded = await createMarket(service);
    const { builder, subscriber, planId } = flooded;
    for (let call = 0; call < 3; call++) await seen(flooded, "refused");
    await seen(flooded, "delivered-unsettled", 5);
    expect(await eventsOf(flooded)).toBe(5);
    const agentRequestId = freshId();
    await createPermissionCalls(service, flooded).verify({ agentRequestId, reserve: true });
    const at = new Date().toISOString();
    const request = { agentRequestId, at, method: "POST", path: "/ask", planId, httpStatus: 402 };
    const requests = [{ ...request, moneyStatus: "refused" }];
    await service.call(builder, "POST", "/requests/report", { requests });
    expect(await toldOf(subscriber, agentRequestId)).toEqual([["request.declined", undefined]]);
  });

  test("a gate's reports of one builder make some hundreds of events a minute, and all are stored", async () => {
    const [flooder, other] = [await createMarket(service), await createMarket(service)];
    const { clock } = service.ports;
    await clock.advance(60 - (await clock.now()).getUTCSeconds());
    // What makes no event uses none of them up.
    await Promise.all([1, 2, 3].map(() => seen(flooder, "challenged")));
    for (let call = 0; call < 6; call++) await seen(flooder, "delivered-unsettled");
    await seen(other, "delivered-unsettled", 3);
    expect([await eventsOf(flooder), await eventsOf(other)]).toEqual([400, 3]);
    const [stored] = await database.query(
      "select count(*)::int as n from request_reports where builder = $1 and money_status = 'delivered-unsettled'",
      [flooder.builder.address],
    );
    expect(stored).toEqual({ n: 1_200 });
  });
});
