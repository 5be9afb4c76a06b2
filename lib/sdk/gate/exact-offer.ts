import type { Environment } from "../protocol/enums.ts";
import { EXACT } from "../protocol/exact/exact-payload.ts";
import { buildOffer, type PaymentOffer } from "../protocol/payment-required.ts";
import type { Plan } from "../protocol/plans/plan.ts";
import { networkOf, type SchemeId } from "../protocol/schemes.ts";
import type { Route } from "./routes.ts";

/** The offer to buy a plan by `exact`; none for a plan that wallets cannot buy. */
export function exactOffer<Input>(
  { planId, metadata, registry: { price, credits: granted } }: Plan,
  credits: bigint,
  { route: { method, agentId }, environment }: { route: Route<Input>; environment: Environment },
): PaymentOffer[] {
  if (!price.isCrypto || price.receivers.length !== 1 || price.currency !== "USDC") return [];
  // What the request leaves, as the time of a time plan, is for a bearer token, which this plan would not take.
  const isLeft = metadata.plan.accessLimit === "time" || BigInt(granted.amount) > credits;
  if (granted.holderRequired && isLeft) return [];
  const offer = buildOffer({
    planId,
    scheme: EXACT as SchemeId,
    network: networkOf("svc:erc4337", environment),
    amount: String(price.amounts[0]),
    asset: price.tokenAddress,
    payTo: price.receivers[0] as string,
    httpVerb: method,
    ...(agentId && { agentId }),
  });
  // The token's EIP-712 domain, which its payer signs for.
  const domain = { name: environment === "live" ? "USD Coin" : "USDC", version: "2" };
  return [{ ...offer, extra: { ...offer.extra, ...domain, credits: String(credits) } }];
}
