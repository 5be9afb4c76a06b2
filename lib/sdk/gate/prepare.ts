import type { Payments } from "../client/payments.ts";
import { readPlan } from "../client/resolve-scheme.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { buildOffer, type X402PaymentRequired } from "../protocol/payment-required.ts";
import type { Plan } from "../protocol/plans/plan.ts";
import { CHAIN_NETWORKS, schemeOfPrice } from "../protocol/schemes.ts";
import { X402_VERSION } from "../protocol/x402-headers.ts";
import { type Route, readCredits } from "./routes.ts";

/** How the gate reaches the service when it has to answer soon. */
export const PREPARE_CALL = { timeoutMs: 10_000, maxRetries: 1 };

/**
 * The requirement of one request (§3 step 2): an offer per plan, each with the plan's scheme and the
 * route's credits brought into the plan's range. The credits are asked for once.
 */
export async function prepareRequirement(
  payments: Pick<Payments, "connection">,
  route: Route,
  request: Request,
): Promise<X402PaymentRequired> {
  const { connection } = payments;
  const [credits, ...plans] = await Promise.all([
    creditsOf(route, request),
    ...route.planIds.map((planId) => readPlan(connection, planId, PREPARE_CALL)),
  ]);
  const { description, mimeType, agentId, network } = route;
  return {
    x402Version: X402_VERSION,
    resource: {
      url: withoutQuery(request.url),
      ...(description && { description }),
      ...(mimeType && { mimeType }),
    },
    accepts: plans.map((plan) => {
      const scheme = route.scheme ?? schemeOfPrice(plan.registry.price);
      const chain = CHAIN_NETWORKS[connection.environment];
      return buildOffer({
        planId: plan.planId,
        scheme,
        network: network ?? (scheme === "svc:erc4337" ? chain : "card-processor"),
        amount: String(withinRange(credits, plan)),
        httpVerb: route.method,
        ...(agentId && { agentId }),
      });
    }),
    extensions: {},
  };
}

async function creditsOf(route: Route, request: Request): Promise<bigint> {
  if (typeof route.credits === "bigint") return route.credits;
  const copy = copyOf(request);
  const value = await route.credits(copy);
  // Not awaited: an unread copy ends only with the original, but would keep all that is read in memory.
  if (copy !== request && !copy.bodyUsed) copy.body?.cancel().catch(() => {});
  const credits = readCredits(value);
  if (credits !== null) return credits;
  throw new PaymentsError(
    "invalid_amount",
    `Route ${JSON.stringify(route.key)}: \`credits\` gave ${String(value)}, expected a whole number of at least 1.`,
  );
}

/** The request for somebody who may read its body or not, without holding up or using up the work's. */
function copyOf(request: Request): Request {
  if (!request.body || request.bodyUsed) return request;
  return request.clone();
}

function withinRange(credits: bigint, { registry: { credits: range } }: Plan): bigint {
  if (credits < range.minAmount) return range.minAmount;
  return credits > range.maxAmount ? range.maxAmount : credits;
}

// A query may hold what is private to the caller, and a requirement is copied into tokens and logs.
const withoutQuery = (url: string) => url.split(/[?#]/, 1)[0] as string;
