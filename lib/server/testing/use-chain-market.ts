import { getCryptoPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, expect } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules } from "@/lib/adapters/db/testing/stores.ts";
import { type ChainTestService, startChainTestService } from "./chain-service.ts";
import { createMarket, type TestMarket } from "./test-service.ts";

/**
 * The service on a store with its own chain, and a plan of 100 credits for one USDC, for the tests of one `describe`. After
 * them the rules of the ledger hold.
 *
 * @example const at = useChainMarket(open); // in a test: at.service, at.market, at.receiver, at.database
 */
export function useChainMarket(
  open: () => Promise<Database>,
  { order = true }: { order?: boolean } = {},
) {
  const at = {} as {
    database: Database;
    service: ChainTestService;
    market: TestMarket;
    /** The address that the plan's price is paid to. */
    receiver: string;
  };
  beforeAll(async () => {
    at.database = await open();
    at.service = await startChainTestService(at.database);
    at.receiver = (await at.service.party({ isFunded: false })).address;
    at.market = await createMarket(at.service, {
      price: getCryptoPriceConfig(1_000_000n, at.receiver, at.service.usdc),
      credits: getFixedCreditsConfig(100n, 1n),
      order,
    });
  });
  afterAll(async () => {
    await at.service.stop();
    expect(await brokenRules(at.database)).toEqual([]);
    await at.database.close();
  });
  return at;
}
