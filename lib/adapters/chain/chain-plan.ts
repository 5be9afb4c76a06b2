import { type Address, encodeAbiParameters, getAddress, keccak256, parseAbiParameters } from "viem";
import type { PlanVersion } from "@/lib/domain/chain-ports.ts";
import type { OnChainPlan } from "./operator.ts";

/** The contract keeps in 128 bits what a request takes. Plans of the ledger alone may ask for more. */
export const MOST_A_REQUEST = 2n ** 128n - 1n;
/** How long the contract lets credits last. */
export const LONGEST_SECS = 100n * 365n * 86_400n;

const ONLY_SUBSCRIBER = 4;
const ONLY_OWNER = 1;

/**
 * The id a version of a plan is sold under on chain. Its credits always carry the plan's own id; terms on chain never
 * change, so each later version gets an id derived from plan and version.
 */
export function saleIdOf({ planId, version }: Pick<PlanVersion, "planId" | "version">): bigint {
  if (version === 1) return BigInt(planId);
  const encoded = encodeAbiParameters(parseAbiParameters("uint256, uint256"), [
    BigInt(planId),
    BigInt(version),
  ]);
  return BigInt(keccak256(encoded));
}

/** Whether the credits' holder burns them; otherwise the plan's owner does. */
export const isBurnedByHolder = (redemptionType: number): boolean =>
  redemptionType === ONLY_SUBSCRIBER;

/**
 * A plan's version as the contract expects it. The ledger decides who may redeem for others; on chain the
 * plan's owner burns in that case, so the redemption roles become `ONLY_OWNER`.
 */
export function toOnChainPlan(plan: PlanVersion): OnChainPlan {
  const { price, credits } = plan;
  return {
    planId: saleIdOf(plan),
    owner: getAddress(plan.owner),
    token: getAddress(price.tokenAddress),
    amounts: price.amounts,
    receivers: price.receivers.map((receiver): Address => getAddress(receiver)),
    credits: BigInt(credits.amount),
    minAmount: credits.minAmount,
    maxAmount: credits.maxAmount,
    durationSecs: credits.durationSecs,
    redemptionType: isBurnedByHolder(credits.redemptionType) ? ONLY_SUBSCRIBER : ONLY_OWNER,
    proofRequired: credits.proofRequired,
    isCrypto: true,
    timeBased: plan.accessLimit === "time",
    oncePerAccount: plan.isTrial,
  };
}
