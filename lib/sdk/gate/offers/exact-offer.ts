import type { Environment } from "../../protocol/enums.ts";
import { EXACT } from "../../protocol/exact/exact-payload.ts";
import { USDC } from "../../protocol/exact/usdc.ts";
import { buildOffer, type PaymentOffer } from "../../protocol/payment-required.ts";
import type { Plan } from "../../protocol/plans/plan.ts";
import { networkOf, type SchemeId } from "../../protocol/schemes.ts";
import { logOnce } from "../faults/log-once.ts";
import type { Logger } from "../logger.ts";
import type { Route } from "../routes.ts";

/** A plan and how many of its credits the request takes. */
type Sold = { plan: Plan; credits: bigint };
type Sale<Input> = { route: Route<Input>; environment: Environment; logger: Logger };

/** The offers to buy a route's plans by `exact`; none for a plan that wallets cannot buy, which is logged where it is every one. */
export function exactOffers<Input>(sold: readonly Sold[], sale: Sale<Input>): PaymentOffer[] {
  const { route, environment, logger } = sale;
  const network = networkOf("svc:erc4337", environment);
  const faults = sold.map((each) => whyNot(each, network));
  const offers = sold.filter((_, at) => !faults[at]).map((each) => exactOffer(each, network, sale));
  if (offers.length === 0) {
    const message = "A route with `exact` has no plan that a wallet can buy.";
    const reasons = sold.map(({ plan: { planId } }, at) => `Plan ${planId} ${faults[at]}.`);
    logOnce(logger, message, message, { route: route.key, reason: reasons.join(" ") }, route);
  }
  return offers;
}

/** Why a wallet can't buy a plan, or null. */
function whyNot({ plan, credits }: Sold, network: string): string | null {
  const { metadata, registry } = plan;
  const { price, credits: granted } = registry;
  if (!price.isCrypto) return "is paid by card";
  if (price.receivers.length !== 1) return `pays ${price.receivers.length} receivers, not one`;
  const usdc = USDC[network] ?? "";
  if (price.currency !== "USDC" && price.tokenAddress.toLowerCase() !== usdc.toLowerCase()) {
    return `is priced in the token ${price.tokenAddress}, not in USDC, which is ${usdc} on ${network}`;
  }
  // What the request leaves, as the time of a time plan, is for a bearer token, which this plan would not take.
  const isLeft = metadata.plan.accessLimit === "time" || BigInt(granted.amount) > credits;
  const isLost = granted.holderRequired && isLeft;
  return isLost ? "takes no bearer tokens, which a wallet would need for the other credits" : null;
}

function exactOffer<Input>(
  { plan, credits }: Sold,
  network: string,
  { route: { method, agentId }, environment }: Sale<Input>,
): PaymentOffer {
  const { price } = plan.registry;
  const offer = buildOffer({
    planId: plan.planId,
    scheme: EXACT as SchemeId,
    network,
    amount: String(price.amounts[0]),
    asset: price.tokenAddress,
    payTo: price.receivers[0] as string,
    httpVerb: method,
    ...(agentId && { agentId }),
  });
  // The token's EIP-712 domain, which its payer signs for.
  const domain = { name: environment === "live" ? "USD Coin" : "USDC", version: "2" };
  return { ...offer, extra: { ...offer.extra, ...domain, credits: String(credits) } };
}
