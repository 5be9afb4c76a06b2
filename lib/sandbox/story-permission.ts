import { type Plan, planIdOf, type X402PaymentRequired } from "@turnpike/payments/protocol";
import type { PlanChoice } from "./story-order.ts";
import {
  creditsText,
  readBalance,
  requireSame,
  StoryBroke,
  type StoryScene,
  type Told,
} from "./story-step.ts";

/** What an agent asked for: the whole requirement, and the offer for the plan in use. */
export type Offer = { paymentRequired: X402PaymentRequired; credits: string };

const VERIFY_ATTEMPTS = 3;

export async function delegateSpending(
  scene: StoryScene,
  { planId, plan }: PlanChoice,
): Promise<Told<string>> {
  const limits = { spendingLimitCents: 1_000n, durationSecs: 3_600, planIds: [planId] };
  const isCard = plan.scheme === "svc:card-delegation";
  const { delegationId, expiresAt } = await scene.subscriber.delegation.createDelegation(
    isCard
      ? { ...limits, ...(await cardTerms(scene, plan)) }
      : { ...limits, provider: "erc4337" as const },
  );
  const made = await scene.subscriber.delegation.getDelegation(delegationId);
  if (made.status !== "Active" || made.spendingLimitCents !== limits.spendingLimitCents) {
    throw new StoryBroke(`Delegation ${delegationId} is ${made.status}, not active as asked.`);
  }
  return {
    result: delegationId,
    meaning: "A key of its own may spend up to 10.00 on this plan, for one hour.",
    facts: { delegationId, sessionKey: made.sessionKeyAddress, spendingLimit: "10.00", expiresAt },
  };
}

async function cardTerms(scene: StoryScene, plan: Plan) {
  const cards = await scene.subscriber.delegation.listPaymentMethods();
  const card = cards.find(({ isDefault }) => isDefault) ?? cards[0];
  if (!card) throw new StoryBroke("The account has no saved card.");
  return {
    provider: "card-processor",
    providerPaymentMethodId: card.id,
    currency: (plan.registry.price.currency ?? "usd").toLowerCase(),
    maxTransactions: 10,
  };
}

export async function mintToken(
  scene: StoryScene,
  { choice, delegationId }: { choice: PlanChoice; delegationId: string },
): Promise<Told<string>> {
  const { agentId } = scene.sandbox.agent;
  const { accessToken } = await scene.subscriber.x402.getX402AccessToken(choice.planId, agentId, {
    delegationConfig: { delegationId },
  });
  const document = scene.subscriber.x402.decodeAccessToken(accessToken);
  if (!document) throw new StoryBroke("The service answered a token that cannot be decoded.");
  const { authorization, sessionKey } = document.payload;
  requireSame("planId", authorization.planId, choice.planId);
  requireSame("agentId", authorization.agentId, agentId);
  requireSame("from", authorization.from, scene.sandbox.subscriber.address);
  return {
    result: accessToken,
    meaning: `The key signed it: ${sessionKey.permissions.join(" and ")}, for this plan and this agent only.`,
    facts: {
      from: authorization.from,
      permissions: sessionKey.permissions.join(", "),
      redemptionLimit: String(sessionKey.limits.redemptionLimit),
      orderLimit: sessionKey.limits.orderLimit,
      characters: String(accessToken.length),
    },
  };
}

type Verifying = { choice: PlanChoice; token: string; offer: Offer };

/** Asks the service what a settle would do, and checks that asking took nothing. */
export async function dryVerify(
  scene: StoryScene,
  verifying: Verifying,
): Promise<Told<{ balance: bigint; credits: string }>> {
  const { planId } = verifying.choice;
  let moved = "";
  for (let attempt = 0; attempt < VERIFY_ATTEMPTS; attempt++) {
    const before = await readBalance(scene, planId);
    const { payer, credits } = await verifyOnce(scene, verifying);
    const after = await readBalance(scene, planId);
    if (after === before) {
      return {
        result: { balance: before, credits },
        meaning: `Valid. It would take ${creditsText(credits)}; nothing was taken.`,
        facts: { payer, credits, balance: String(before) },
      };
    }
    // Another call of this account may have settled in between; a verify that takes does so each time.
    moved = `Verify moved the balance from ${before} to ${after}.`;
  }
  throw new StoryBroke(moved);
}

async function verifyOnce(scene: StoryScene, { choice, token, offer }: Verifying) {
  const verification = await scene.builder.facilitator.verifyPermissions({
    paymentRequired: onlyPlan(offer.paymentRequired, choice.planId),
    x402AccessToken: token,
    maxAmount: offer.credits,
  });
  if (!verification.isValid) {
    const { invalidReason, invalidMessage } = verification;
    throw new StoryBroke(invalidMessage ?? `The token was refused: ${invalidReason}.`, {
      meaning: "The service would not settle this token. No credits were used.",
      facts: { invalidReason },
      money: "refused",
    });
  }
  requireSame("payer", verification.payer, scene.sandbox.subscriber.address);
  return verification;
}

// An agent that takes three plans offers all three; the question is about the one in use.
function onlyPlan(required: X402PaymentRequired, planId: string): X402PaymentRequired {
  return { ...required, accepts: required.accepts.filter((offer) => planIdOf(offer) === planId) };
}
