import type { PaymentOffer, X402PaymentRequired } from "../../protocol/payment-required.ts";
import { planIdOf } from "../../protocol/plans/plan-id-of.ts";
import type { Logger } from "../logger.ts";

/** A token that the service refused, and the offer that it answers. */
type Refused = {
  route: string;
  detail: string;
  cause?: string | undefined;
  paymentRequired: X402PaymentRequired;
  offer: PaymentOffer;
};

type Names = { planId: string; agentId: string; endpoint: string };

/** What the seller does about a refusal that no caller can change. */
const REMEDIES: Record<string, (names: Names) => string> = {
  unknown_agent: ({ agentId, planId }) =>
    `The owner of plan ${planId} has no agent ${agentId}. Correct \`agentId\` in the route.`,
  plan_not_linked: ({ agentId, planId }) =>
    `Plan ${planId} is not linked to agent ${agentId}. Link it, or correct the route.`,
  endpoint_not_registered: ({ agentId, endpoint }) =>
    `${endpoint} is not an endpoint of agent ${agentId}. Register it; if a proxy removes a path prefix, pass the gate \`publicUrl\`.`,
  not_your_plan: ({ planId }) =>
    `Plan ${planId} belongs to another account. Use the API key of its owner, or correct \`planId\` in the route.`,
};

const logged = new WeakMap<Logger, Set<string>>();

/** Logs once per route and cause that its setup refuses callers, who are told only `invalid_agent` or `invalid_plan`. */
export function logSetupFault(
  logger: Logger,
  { route, detail, cause, paymentRequired, offer }: Refused,
): void {
  const { extra } = offer;
  const reason = REMEDIES[detail]?.({
    planId: String(planIdOf(offer)),
    agentId: String(extra?.agentId),
    endpoint: `${extra?.httpVerb} ${paymentRequired.resource?.url}`,
  });
  const known = logged.get(logger) ?? new Set();
  const key = `${detail} ${route}`;
  // Causes that concern the caller are told to them.
  if (cause || !reason || known.has(key)) return;
  logged.set(logger, known.add(key));
  logger.error("Callers of a route are refused because of its setup.", { route, detail, reason });
}
