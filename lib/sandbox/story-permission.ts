import {
  type Plan,
  planIdOf,
  totalOf,
  type X402PaymentRequired,
} from "@turnpike/payments/protocol";
import type { PlanChoice } from "./story-order.ts";
import {
  creditsText,
  readBalance,
  requireSame,
  StepFailed,
  type StepResult,
  type StoryScene,
} from "./story-step.ts";

/** The agent's payment requirement, and the credits of the chosen plan's offer. */
export type Offer = { paymentRequired: X402PaymentRequired; credits: string };

const VERIFY_ATTEMPTS = 3;

export async function delegateSpending(
  scene: StoryScene,
  { planId, plan }: PlanChoice,
): Promise<StepResult<string>> {
  // One order of the plan: prices are in millionths, limits in cents.
  const spendingLimitCents = totalOf(plan.registry.price) / 10_000n;
  const limits = { spendingLimitCents, durationSecs: 600, planIds: [planId] };
  const isCard = plan.scheme === "svc:card-delegation";
  const { delegationId, expiresAt } = await scene.subscriber.delegation.createDelegation(
    isCard
      ? { ...limits, ...(await cardTerms(scene, plan)) }
      : { ...limits, provider: "erc4337" as const },
  );
  const made = await scene.subscriber.delegation.getDelegation(delegationId);
  if (made.status !== "Active" || made.spendingLimitCents !== limits.spendingLimitCents) {
    throw new StepFailed(`Delegation ${delegationId} is ${made.status}, not Active.`);
  }
  const spendingLimit = `${spendingLimitCents / 100n}.${String(spendingLimitCents % 100n).padStart(2, "0")}`;
  return {
    result: delegationId,
    meaning: `A separate key may spend up to ${spendingLimit} on this plan, until the run ends.`,
    facts: { delegationId, sessionKey: made.sessionKeyAddress, spendingLimit, expiresAt },
  };
}

async function cardTerms(scene: StoryScene, plan: Plan) {
  const cards = await scene.subscriber.delegation.listPaymentMethods();
  const card = cards.find(({ isDefault }) => isDefault) ?? cards[0];
  if (!card) throw new StepFailed("The account has no saved card.");
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
): Promise<StepResult<string>> {
  const { agentId } = scene.sandbox.agent;
  const { accessToken } = await scene.subscriber.x402.getX402AccessToken(choice.planId, agentId, {
    delegationConfig: { delegationId },
    redemptionLimit: 1,
  });
  const document = scene.subscriber.x402.decodeAccessToken(accessToken);
  if (!document) throw new StepFailed("The service returned a token that cannot be decoded.");
  const { authorization, sessionKey } = document.payload;
  requireSame("planId", authorization.planId, choice.planId);
  requireSame("agentId", authorization.agentId, agentId);
  requireSame("from", authorization.from, scene.sandbox.subscriber.address);
  return {
    result: accessToken,
    meaning: `Signed by the key, to ${sessionKey.permissions.join(" and ")} for this plan and agent only.`,
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

/** Verifies the token, and checks that verifying used no credits. */
export async function verifyToken(
  scene: StoryScene,
  verifying: Verifying,
): Promise<StepResult<{ balance: bigint; credits: string }>> {
  const { planId } = verifying.choice;
  let moved = "";
  for (let attempt = 0; attempt < VERIFY_ATTEMPTS; attempt++) {
    const before = await readBalance(scene, planId);
    const { payer, credits } = await verifyOnce(scene, verifying);
    const after = await readBalance(scene, planId);
    if (after === before) {
      return {
        result: { balance: before, credits },
        meaning: `Valid for ${creditsText(credits)}. No credits were used.`,
        facts: { payer, credits, balance: String(before) },
      };
    }
    // Another call of the account may have settled meanwhile; a faulty verify would use credits every time.
    moved = `Verify changed the balance from ${before} to ${after}.`;
  }
  throw new StepFailed(moved);
}

async function verifyOnce(scene: StoryScene, { choice, token, offer }: Verifying) {
  const verification = await scene.builder.facilitator.verifyPermissions({
    paymentRequired: onlyPlan(offer.paymentRequired, choice.planId),
    x402AccessToken: token,
    maxAmount: offer.credits,
  });
  if (!verification.isValid) {
    const { invalidReason, invalidMessage } = verification;
    throw new StepFailed(invalidMessage ?? `The token was rejected: ${invalidReason}.`, {
      meaning: "The service would not settle this token. No credits were used.",
      facts: { invalidReason },
      money: "refused",
    });
  }
  requireSame("payer", verification.payer, scene.sandbox.subscriber.address);
  return verification;
}

// An agent with three plans offers all of them; verify the chosen one.
function onlyPlan(required: X402PaymentRequired, planId: string): X402PaymentRequired {
  return { ...required, accepts: required.accepts.filter((offer) => planIdOf(offer) === planId) };
}
