import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules } from "@/lib/adapters/db/testing/stores.ts";
import type { Log } from "@/lib/domain/ports.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { type CardFixture, startCardFixture } from "./card-fixture.ts";
import type { CardShop } from "./card-shop.ts";

/**
 * The service on a store with the embedded processor, for the tests of one `describe`. After each of them the rules of
 * the ledger hold.
 *
 * @example const at = useCardService(open); // in a test: at.service, at.fixture, at.database
 */
export function useCardService(open: () => Promise<Database>, { log }: { log?: Log } = {}) {
  const at = {
    balanceOf: ({ subscriber, planId }: CardShop) =>
      subscriber.payments.plans.getPlanBalance(planId),
    /** In the only currency that the shop sells in. */
    owedTo: async ({ builder }: CardShop) =>
      (await at.service.ports.payouts.owed(builder.address))[0]?.amount ?? 0n,
  } as {
    database: Database;
    fixture: CardFixture;
    service: TestService;
    balanceOf: (shop: CardShop) => ReturnType<TestPlans["getPlanBalance"]>;
    owedTo: (shop: CardShop) => Promise<bigint>;
  };
  beforeAll(async () => {
    [at.database, at.fixture] = await Promise.all([open(), startCardFixture()]);
    const { rail, cards } = at.fixture;
    at.service = createTestService(at.database, { rails: [rail], cards, ...(log && { log }) });
  });
  afterEach(async () => {
    at.fixture.processor.faults.clear();
    expect(await brokenRules(at.database)).toEqual([]);
  });
  afterAll(async () => {
    await at.database.close();
    await at.fixture.close();
  });
  return at;
}

type TestPlans = CardShop["subscriber"]["payments"]["plans"];
