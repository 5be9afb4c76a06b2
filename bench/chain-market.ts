import type { ChainTestService } from "@/lib/server/testing/chain-service.ts";
import { requirementOf } from "@/lib/server/testing/operation-samples.ts";
import type { TestMarket, TestParty } from "@/lib/server/testing/test-service.ts";
import { createCryptoMarket } from "../scripts/proof/chain-load.ts";

/** An agent on a crypto plan, and a token per subscriber, each of whom paid on chain. */
export type ChainMarket = TestMarket & { tokens: string[] };

/** Opens a {@link ChainMarket} of `subscribers` accounts. Each has settled once, so its account is deployed. */
export async function openChainMarket(
  service: ChainTestService,
  { subscribers = 1, proofRequired = false } = {},
): Promise<ChainMarket> {
  const first = await createCryptoMarket(service, { proofRequired });
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
    paymentRequired: requirementOf(market),
    x402AccessToken: token,
  });
  if (!settlement.success) throw new Error(`A settle was declined: ${settlement.errorReason}`);
  return settlement.extra.settlementId;
}
