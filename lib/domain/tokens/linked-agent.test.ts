import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
} from "@/lib/server/testing/test-service.ts";

describe.each(ruleStores())(
  "a token for an agent that does not sell its plan on $name",
  ({ open }) => {
    let database: Database;
    let market: TestMarket;
    let other: TestMarket;

    beforeAll(async () => {
      database = await open();
      const service = createTestService(database, { secretKey: new Uint8Array(32).fill(7) });
      market = await createMarket(service);
      other = await createMarket(service);
    });
    afterAll(() => database.close());

    test.each([
      ["invalid_input", "does not pay for agent", () => other.agentId],
      ["not_found", "No such agent", () => "99999999999999999999"],
    ])(
      "is refused with %s, and a payer learns whose mistake it is",
      async (code, message, agentId) => {
        const { x402 } = market.subscriber.payments;
        await expect(x402.getX402AccessToken(market.planId, agentId())).rejects.toMatchObject({
          code,
          message: expect.stringContaining(message),
          hint: expect.stringContaining("its seller must correct"),
        });
      },
    );
  },
);
