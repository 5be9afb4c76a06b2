import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import type { Context } from "../context.ts";
import { readCatalog } from "./catalog.ts";

const SEEN = "2026-11-01T00:00:00Z";

describe.each(ruleStores())("the catalog on $name", ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(() => database.close());

  const read = () => readCatalog({ ports: service.ports } as Context);
  const itemsOf = async ({ agentId }: TestMarket) =>
    (await read()).map(({ item }) => item).filter((item) => JSON.stringify(item).includes(agentId));
  const check = ({ agentId }: TestMarket, offers: Record<string, string[]>) =>
    service.ports.agents.setDoctorRun(agentId, { at: SEEN, passed: 21, checks: 23, offers });
  const settle = async ({ builder, planId, agentId, endpoint, token }: TestMarket) => {
    const asked = { planId, endpoint, agentId, httpVerb: "POST" };
    const paymentRequired = await builder.payments.x402.buildPaymentRequired(asked);
    const paid = { paymentRequired, x402AccessToken: token, maxAmount: "1" };
    expect((await builder.payments.facilitator.settlePermissions(paid)).success).toBe(true);
  };
  const prove = ({ agentId, endpoint }: TestMarket) =>
    service.ports.agents.setDomainProof(agentId, {
      origin: new URL(endpoint).origin,
      method: "file",
      ...{ provedAt: new Date().toISOString(), seenAt: new Date().toISOString() },
      checkedAt: new Date().toISOString(),
    });
  test("another's endpoint, whose 402 offers other plans, is listed with none of theirs and none of its checks", async () => {
    const [seller, imitator] = [await createMarket(service), await createMarket(service)];
    expect(imitator.endpoint).toBe(seller.endpoint);
    const seen = { [`POST ${seller.endpoint}`]: [seller.planId] };
    await check(seller, seen);
    await check(imitator, seen);
    expect(await itemsOf(seller)).toHaveLength(1);
    expect(await itemsOf(imitator)).toEqual([]);
    // Paid calls, of which two accounts can arrange some, do not change what was seen.
    await settle(imitator);
    expect(await itemsOf(imitator)).toEqual([]);
    // They list an endpoint whose offers no check saw, without what the checks of another's server found.
    await check(imitator, {});
    const [unseen] = await itemsOf(imitator);
    expect(unseen?.extensions.measured).toMatchObject({ info: { settled: 1 } });
    expect(unseen?.extensions.measured).not.toMatchObject({ info: { doctor: expect.anything() } });
    // The owner of the domain sells there what they want.
    await check(imitator, seen);
    await prove(imitator);
    const [own] = await itemsOf(imitator);
    expect(own?.accepts.map(({ extra }) => extra?.planId)).toHaveLength(1);
    expect(own?.extensions.measured).toMatchObject({ info: { doctor: { passed: 21 } } });
  });
});
