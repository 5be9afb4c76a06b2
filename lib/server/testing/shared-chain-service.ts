import { afterAll, beforeAll, expect } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import type { OrderLimits } from "../chain/chain-services.ts";
import { type ChainTestService, startChainTestService } from "./chain-service.ts";

/** One service with these limits for all tests of a file; its ledger is in order at the end. */
export function shareChainService(limits: OrderLimits) {
  const at = {} as { database: Database; service: ChainTestService };
  beforeAll(async () => {
    at.database = await openRuleStore();
    at.service = await startChainTestService(at.database, limits);
  });
  afterAll(async () => {
    await at.service.stop();
    expect(await brokenRules(at.database)).toEqual([]);
    await at.database.close();
  });
  return at;
}
