import { getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { expect, inject, test } from "vitest";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { brokenRules, createTestDatabase } from "@/lib/adapters/db/testing/stores.ts";
import { createBudgetMarket } from "@/lib/domain/budgets/testing/budget-market.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const LANES = 8;
const UPGRADES = 5;
/** Several tries: each that gives way to a call holds up others for half a second. */
const MOST_MS = 2_500;

const kinds = {
  settlements: async (service: TestService) => {
    const credits = getFixedCreditsConfig(1_000_000n, 1n);
    return createPermissionCalls(service, await createMarket(service, { credits }));
  },
  orders: async (service: TestService) =>
    (await createBudgetMarket(service, { perCall: 10n })).calls,
};

test.skipIf(inject("postgresSocket") === "").each(["settlements", "orders"] as const)(
  "an upgrade beside a steady stream of %s comes to its end at once, and refuses none of them",
  async (kind) => {
    const url = await createTestDatabase(inject("postgresSocket"), inject("postgresTemplate"));
    const database = await openDatabase({ url, poolSize: 30 });
    const service = createTestService(database);
    const lanes = await Promise.all(Array.from({ length: LANES }, () => kinds[kind](service)));
    let isOver = false;
    const answers: unknown[] = [];
    const running = lanes.map(async (calls) => {
      while (!isOver)
        answers.push((await calls.settle({ agentRequestId: freshId() })).body.success);
    });
    const times: number[] = [];
    for (let upgrade = 0; upgrade < UPGRADES; upgrade++) {
      const before = answers.length;
      await expect.poll(() => answers.length, { timeout: 10_000 }).toBeGreaterThan(before + LANES);
      await database.query("update function_files set version = version - 1", []);
      const start = performance.now();
      await (await openDatabase({ url })).close();
      times.push(performance.now() - start);
    }
    isOver = true;
    await Promise.all(running);
    expect(times.filter((ms) => ms > MOST_MS)).toEqual([]);
    expect(answers.filter((success) => success !== true)).toEqual([]);
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  },
  120_000,
);
