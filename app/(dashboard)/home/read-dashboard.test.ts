import { PaymentsError } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { read } from "@/app/_session/operations.ts";
import { signIn } from "@/app/_session/testing/browser.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  createTestService,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { describeDelegations } from "../delegations/read-backing.ts";
import { readDashboard } from "./read-dashboard.ts";

let database: Database;
let service: TestService;

beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database);
});
afterAll(() => database.close());

/** A builder, signed in with the browser; an operation of theirs may fail. */
async function signedIn(failing?: string) {
  const { ports, pipeline } = service;
  const { builder } = await createMarket(service);
  const perform: typeof pipeline.perform = async (call) => {
    if (call.operation.name !== failing) return pipeline.perform(call);
    throw new PaymentsError("unavailable", "The database is down.");
  };
  await signIn({ ports, pipeline: { ...pipeline, perform } }, builder);
}

test.each([
  [undefined, false],
  ["listRefunds", true],
  ["getDelegationTotals", true],
  ["getCauses", false],
])("what needs attention without %s is partial: %s", async (failing, isPartial) => {
  await signedIn(failing);
  const home = await read("getHome", {});
  const view = { role: "builder", range: "24h", includeTest: false } as const;
  expect(await readDashboard(home, view)).toMatchObject({ needs: [], isPartial });
});

test.each([
  [undefined, false],
  ["listSubscriptions", true],
  ["getBudgets", true],
])("what a subscriber has left without %s is partial: %s", async (failing, isPartial) => {
  await signedIn(failing);
  const home = await read("getHome", {});
  const view = { role: "subscriber", range: "24h", includeTest: false } as const;
  expect(await readDashboard(home, view)).toMatchObject({ needs: [], isPartial });
});

test("a card that could not be loaded is not called removed", async () => {
  await signedIn("listPaymentMethods");
  const delegation = {
    provider: "card-processor",
    providerPaymentMethodId: "pm_1",
    planIds: [],
  } as unknown as Parameters<typeof describeDelegations>[0][number];
  const [described] = await describeDelegations([delegation]);
  expect(described?.backedBy).toBe("Card (could not be loaded)");
});
