import { randomBytes } from "node:crypto";
import {
  buildPaymentRequired,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  type PlanCreditsConfig,
  type Settlement,
} from "@turnpike/payments/protocol";
import type { TestParty, TestService } from "@/lib/server/testing/test-service.ts";

const ENDPOINT = "https://agent.example/ask";

export type CardShop = {
  builder: TestParty;
  subscriber: TestParty;
  planId: string;
  agentId: string;
  /** The subscriber's saved card, its default. */
  card: string;
};

/** A builder with a card plan of 5.00 and its agent, and a subscriber with a saved test card. */
export async function openCardShop(
  service: TestService,
  terms: { testCard?: string; credits?: PlanCreditsConfig; isTimePlan?: boolean } = {},
): Promise<CardShop> {
  const [builder, subscriber] = await Promise.all([service.party(), service.party()]);
  const { plans, agents } = builder.payments;
  const register = terms.isTimePlan ? plans.registerTimePlan : plans.registerCreditsPlan;
  const { planId } = await register(
    { name: "By card" },
    getFiatPriceConfig(5_000_000n, builder.address, "USD"),
    terms.credits ?? getFixedCreditsConfig(100n, 1n),
  );
  const { agentId } = await agents.registerAgent(
    { name: "Reader" },
    { endpoints: [{ POST: ENDPOINT }], agentDefinitionUrl: "https://agent.example/openapi.json" },
    [planId],
  );
  const saved = await subscriber.payments.paymentMethods.addPaymentMethod({
    testCard: terms.testCard ?? "pm_card_visa",
  });
  return { builder, subscriber, planId, agentId, card: saved.paymentMethodId ?? "" };
}

export const requirementOf = ({ planId, agentId }: CardShop) =>
  buildPaymentRequired({
    planId,
    agentId,
    endpoint: ENDPOINT,
    httpVerb: "POST",
    scheme: "svc:card-delegation",
  });

/** A token on a delegation of 50.00 that charges the shop's card. */
export const mintToken = ({ subscriber, planId, agentId, card }: CardShop) =>
  subscriber.payments.x402.getX402AccessToken(planId, agentId, {
    scheme: "svc:card-delegation",
    delegationConfig: {
      providerPaymentMethodId: card,
      spendingLimitCents: 5000n,
      durationSecs: 3600,
      currency: "usd",
      maxTransactions: 10,
    },
    redemptionLimit: 10_000,
  });

/** Settles once by the shop's builder. */
export async function settleCard(
  service: TestService,
  shop: CardShop,
  accessToken: string,
  agentRequestId: string = `card-${randomBytes(10).toString("hex")}`,
): Promise<Settlement> {
  const answer = await service.call(shop.builder, "POST", "/x402/settle", {
    paymentRequired: requirementOf(shop),
    x402AccessToken: accessToken,
    agentRequestId,
  });
  return (await answer.json()) as Settlement;
}
