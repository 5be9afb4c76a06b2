import type { InvalidReason } from "../../protocol/error-envelope.ts";
import type { PaymentOffer, X402PaymentRequired } from "../../protocol/payment-required.ts";
import { planIdOf } from "../../protocol/plans/plan-id-of.ts";
import { PlanRedemptionType } from "../../protocol/plans/plan-types.ts";
import type { Logger } from "../logger.ts";
import type { GateService } from "../service.ts";
import { logOnce } from "./log-once.ts";

/** A token that the service refused, and the offer that it answers. */
type Refused = {
  route: string;
  invalidReason: InvalidReason;
  detail?: string | undefined;
  cause?: string | undefined;
  paymentRequired: X402PaymentRequired;
  offer: PaymentOffer;
};

type Names = { planId: string; agentId: string; endpoint: string; isOwner: boolean };

const NOT_YOUR_PLAN = "not_your_plan";

/** What the seller does about a refusal that no caller can change. */
const REMEDIES: Record<string, (names: Names) => string> = {
  unknown_agent: ({ agentId, planId }) =>
    `The owner of plan ${planId} has no agent ${agentId}. Correct \`agentId\` in the route.`,
  plan_not_linked: ({ agentId, planId }) =>
    `Plan ${planId} is not linked to agent ${agentId}. Link it, or correct the route.`,
  endpoint_not_registered: ({ agentId, endpoint }) =>
    `${endpoint} is not an endpoint of agent ${agentId}. Register it; if a proxy removes a path prefix, pass the gate \`publicUrl\`.`,
  [NOT_YOUR_PLAN]: ({ planId, isOwner }) =>
    isOwner
      ? `Plan ${planId} does not let its owner charge its credits. Use the API key of an account that may, or change the plan’s \`redeemers\` or \`redemptionType\`.`
      : `Plan ${planId} belongs to another account. Use the API key of its owner, or correct \`planId\` in the route.`,
};

/** The redemption types under which only a plan's owner may charge its credits. */
const BY_OWNER: readonly number[] = [
  PlanRedemptionType.ONLY_OWNER,
  PlanRedemptionType.ONLY_SUBSCRIBER,
];

/** Logs once per route and cause that its setup refuses callers, who are told only `invalid_agent` or `invalid_plan`. */
export async function logSetupFault(
  { account, readPlan }: Pick<GateService, "account" | "readPlan">,
  logger: Logger,
  { route, invalidReason, cause, paymentRequired, offer, ...refused }: Refused,
): Promise<void> {
  // Callers see the causes that concern them.
  if (cause) return;
  const { extra } = offer;
  const planId = String(planIdOf(offer));
  const { owner, registry } = await readPlan(planId);
  const isOwner = owner === account.accountAddress;
  // The service tells details to the plan's owner alone, so the gate itself finds out that its account is not the owner.
  const isOthers = !isOwner && BY_OWNER.includes(registry.credits.redemptionType);
  const detail =
    invalidReason === "invalid_plan" && isOthers ? NOT_YOUR_PLAN : (refused.detail ?? "");
  const reason = REMEDIES[detail]?.({
    planId,
    isOwner,
    agentId: String(extra?.agentId),
    endpoint: `${extra?.httpVerb} ${paymentRequired.resource?.url}`,
  });
  const message = "Callers of a route are refused because of its setup.";
  if (reason) logOnce(logger, `${detail} ${route}`, message, { route, detail, reason });
}
