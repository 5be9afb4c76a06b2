import {
  buildPaymentRequired,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import { describe, expect, test, vi } from "vitest";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createMarket } from "../testing/test-service.ts";
import { useChainMarket } from "../testing/use-chain-market.ts";

describe("where a key left for a wallet", () => {
  const at = useChainMarket(openRuleStore, { order: false });

  test("a burn that the service can never sign for is logged as not mirrored, with its reason", async () => {
    const { database, service, receiver } = at;
    const { builder, subscriber, planId, agentId, endpoint, token } = await createMarket(service, {
      price: getCryptoPriceConfig(1_000_000n, receiver, service.usdc),
      credits: getFixedCreditsConfig(100n, 1n),
    });
    const error = vi.spyOn(service.log, "error");
    // Its owner's key left for a wallet, and the delegation has no grant yet.
    await database.query("update accounts set owner_key = null where address = $1", [
      subscriber.address,
    ]);
    const settlement = await builder.payments.facilitator.settlePermissions({
      paymentRequired: buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" }),
      x402AccessToken: token,
    });
    expect(settlement).toMatchObject({ success: true });
    await service.untilMirrored();
    const [burn] = await database.query<{ settlementId: string; status: string }>(
      `select settlement_id as "settlementId", chain_status as status from settlements where plan_id = $1`,
      [planId],
    );
    expect(burn?.status).toBe("failed");
    expect(error.mock.calls).toEqual([
      [
        { settlementId: burn?.settlementId, reason: expect.stringContaining(subscriber.address) },
        "settlement not mirrored",
      ],
    ]);
  });
});
