import { getCryptoPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { requirementOf } from "@/lib/server/testing/operation-samples.ts";
import type { Settle } from "@/lib/server/testing/settle-load.ts";
import {
  createMarket,
  type TestMarket,
  type TestParty,
} from "@/lib/server/testing/test-service.ts";

export const GRANTED = 1_000_000n;
const PRICE = 1_000_000n;

/** A crypto plan, and a subscriber with {@link GRANTED} credits. */
export async function createCryptoMarket(
  service: Parameters<typeof createMarket>[0] & {
    usdc: string;
    party: (options: { isFunded: boolean }) => Promise<TestParty>;
  },
  { proofRequired = false } = {},
): Promise<TestMarket> {
  const { address: receiver } = await service.party({ isFunded: false });
  return createMarket(service, {
    price: getCryptoPriceConfig(PRICE, receiver, service.usdc),
    credits: { ...getFixedCreditsConfig(GRANTED, 1n), proofRequired },
  });
}

/** Settles through the SDK against a service in this process. */
export function settleIn(market: TestMarket): Settle {
  return (agentRequestId) =>
    market.builder.payments.facilitator.settlePermissions({
      paymentRequired: requirementOf(market),
      x402AccessToken: market.token,
      agentRequestId,
    });
}
