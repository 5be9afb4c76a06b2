import { getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { runAlerts } from "./run-alerts.ts";

const MINUTE = 60;

describe.each(ruleStores())("calls that are reported late, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(() => database.close());

  const market = () => createMarket(service, { credits: getFixedCreditsConfig(100n, 1n) });
  type Market = Awaited<ReturnType<typeof market>>;

  /** Reports calls as a gate does, by its own clock. */
  const report = (
    { builder, planId, agentId }: Market,
    minutesAgo: number,
    status: 200 | 500,
    length = 30,
  ) => {
    const call = (_: unknown, index: number) => ({
      agentRequestId: freshId(),
      at: new Date(Date.now() - minutesAgo * MINUTE * 1_000 + index).toISOString(),
      ...{ method: "POST", path: "/ask", planId, agentId, httpStatus: status },
      moneyStatus: status === 200 ? ("delivered-unsettled" as const) : ("not-charged" as const),
    });
    return service.ports.activity.report(builder.address, Array.from({ length }, call));
  };

  /** Looks at all of a party's rules some minutes later; the states of its alerts about failed calls. */
  async function look({ address, payments }: TestParty, minutes = 0): Promise<string[]> {
    await service.ports.clock.advance(minutes * MINUTE);
    await database.query("select wake_alerts($1)", [address]);
    await runAlerts(service.ports);
    const { items } = await payments.alerts.listAlerts({ limit: 100 });
    return items
      .filter(({ kind }) => kind === "error-rate")
      .map(({ status, value }) => `${status} ${value}`);
  }

  test("are judged with the calls of their time, once", async () => {
    const shop = await market();
    for (let minute = 0; minute < 60; minute += 10) await look(shop.builder, 10);
    await report(shop, 40, 500);
    expect(await look(shop.builder)).toEqual(["open 100"]);
    expect(await look(shop.builder, 1)).toEqual(["closed 100"]);
    expect(await look(shop.builder, 1)).toEqual(["closed 100"]);
  });

  test("do not weigh against calls of now", async () => {
    const shop = await market();
    for (let minute = 0; minute < 60; minute += 10) await look(shop.builder, 10);
    // The service was behind: what went well at the same time is late too.
    for (let batch = 0; batch < 30; batch += 1) await report(shop, 40, 200);
    await report(shop, 40, 500);
    expect(await look(shop.builder)).toEqual([]);
  });

  test("of several windows are each found, and those older than a day in none", async () => {
    const shop = await market();
    for (let hour = 0; hour < 4; hour += 1) await look(shop.builder, 60);
    await report(shop, 200, 200);
    await report(shop, 90, 500);
    expect(await look(shop.builder)).toEqual(["open 100"]);
    const other = await market();
    await look(other.builder, 30);
    await report(other, 26 * 60, 500);
    expect(await look(other.builder)).toEqual([]);
  });

  test("are not those that arrive right after a look", async () => {
    const shop = await market();
    await look(shop.builder, 20);
    for (let minute = 0; minute < 13; minute += 1) {
      for (let batch = 0; batch < 3; batch += 1) await report(shop, 0.05, 200);
      await look(shop.builder, 1);
    }
    // 2 % of the calls of a quarter of an hour, and all of the last second's.
    await report(shop, 0.01, 500, 25);
    expect(await look(shop.builder)).toEqual([]);
  });

  test("have no alert of another time repeated", async () => {
    const shop = await market();
    await look(shop.builder, 1);
    await report(shop, 0, 500);
    expect(await look(shop.builder)).toEqual(["open 100"]);
    for (let hour = 0; hour < 6; hour += 1) await look(shop.builder, 60);
    await report(shop, 7.5 * 60, 500, 1);
    await report(shop, 0, 500, 1);
    expect(await look(shop.builder, 1)).toEqual(["closed 100"]);
  });
});
