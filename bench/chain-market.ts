import {
  buildPaymentRequired,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import type { ChainTestService } from "@/lib/server/testing/chain-service.ts";
import {
  createMarket,
  type TestMarket,
  type TestParty,
} from "@/lib/server/testing/test-service.ts";

const PRICE = 1_000_000n;
const CREDITS = 1_000_000n;

/** An agent on a crypto plan, and a token per subscriber, each of whom paid on chain. */
export type ChainMarket = TestMarket & { tokens: string[] };

/** Opens a {@link ChainMarket} of `subscribers` accounts. Each has settled once, so its account is deployed. */
export async function openChainMarket(
  service: ChainTestService,
  { subscribers = 1, proofRequired = false } = {},
): Promise<ChainMarket> {
  const { address: receiver } = await service.party({ isFunded: false });
  const first = await createMarket(service, {
    price: getCryptoPriceConfig(PRICE, receiver, service.usdc),
    credits: { ...getFixedCreditsConfig(CREDITS, 1n), proofRequired },
  });
  const tokens = [first.token];
  while (tokens.length < subscribers) tokens.push(await subscribe(await service.party(), first));
  const market = { ...first, tokens };
  await Promise.all(tokens.map((token) => settleOnce(market, token)));
  await service.untilMirrored();
  return market;
}

async function subscribe({ payments }: TestParty, { planId, agentId }: TestMarket) {
  await payments.plans.orderPlan(planId);
  const options = { redemptionLimit: 1_000_000 };
  return (await payments.x402.getX402AccessToken(planId, agentId, options)).accessToken;
}

/** Settles one credit through the API and returns the settlement's id. */
export async function settleOnce(market: TestMarket, token: string): Promise<string> {
  const settlement = await market.builder.payments.facilitator.settlePermissions({
    paymentRequired: buildPaymentRequired({
      planId: market.planId,
      agentId: market.agentId,
      endpoint: market.endpoint,
      httpVerb: "POST",
    }),
    x402AccessToken: token,
  });
  if (!settlement.success) throw new Error(`A settle was declined: ${settlement.errorReason}`);
  return settlement.extra.settlementId;
}
