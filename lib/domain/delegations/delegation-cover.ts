import { type DelegationConfig, EXACT, isFree } from "@turnpike/payments/protocol";
import { type Context, invalid } from "../context.ts";
import { parCurrency } from "../orders/money.ts";
import type { DelegationRecord, PlanRecord } from "../records.ts";
import { statusOf } from "./delegations.ts";
import { requireWithinRoot } from "./key-roots.ts";
import { requireOwnerSigned, signatureRequired } from "./owner-signature.ts";

/**
 * Refuses a delegation that may not pay for a plan: expired or revoked, for another rail, for other plans, or with its
 * limit in another currency, or beside the root limit of the caller's API key. Throws `invalid_input` naming `path`, `signature_required` while its owner has not signed.
 */
export async function requireCovering(
  context: Context,
  delegation: DelegationRecord,
  plan: PlanRecord,
  path: string,
): Promise<void> {
  if (!isFree(plan.price)) await requireWithinRoot(context, delegation.delegationId);
  const status = statusOf(delegation, await context.ports.clock.now());
  if (status === "AwaitingSignature") throw signatureRequired(path, delegation.delegationId);
  if (status === "Revoked" || status === "Expired") {
    throw invalid(path, `The delegation is ${status.toLowerCase()}. Create another.`);
  }
  // A wallet's own: its tokens use what it bought, and order nothing.
  if (delegation.provider === EXACT) return;
  const { delegationProvider: provider } = context.ports.rails.getByPrice(plan.price);
  if (delegation.provider !== provider) {
    const { provider: given } = delegation;
    throw invalid(path, `The delegation spends by ${given}; this plan needs ${provider}.`);
  }
  if (delegation.planIds.length > 0 && !delegation.planIds.includes(plan.planId)) {
    throw invalid(path, `The delegation does not cover plan ${plan.planId}.`);
  }
  await requireOwnerSigned(context, delegation, plan, path);
}

const TERMS = [
  "spendingLimitCents",
  "durationSecs",
  "maxTransactions",
  "currency",
  "planIds",
  "providerPaymentMethodId",
] as const satisfies readonly (keyof DelegationConfig)[];

/** Refuses terms together with a delegation's id: the delegation keeps its own. */
export function requireIdAlone(config: DelegationConfig): void {
  const term = TERMS.find((name) => config[name] !== undefined);
  if (!term) return;
  throw invalid(
    `delegationConfig.${term}`,
    "A delegation named by its id keeps its own terms. Leave this out, or leave the id out to create a delegation with it.",
  );
}

/** Why an API key's own delegation takes no `maxTransactions` of a caller. */
export const countedByDelegation = () =>
  invalid(
    "delegationConfig.maxTransactions",
    "Transactions are counted by a delegation; create one, or leave it to the API key's.",
  );

/** Refuses a limit in another currency than the price's; `needed` is null for tokens without a par value. */
export function requireCurrency(
  given: string | undefined,
  needed: string | null,
  path: string,
): void {
  if (given === undefined || needed === null || parCurrency(given) === parCurrency(needed)) return;
  throw invalid(path, `The plan's price is in ${needed}, the delegation's limit in ${given}.`);
}

/** Refuses a delegation whose limit could not be counted against the plan's price. */
export const requireSameCurrency = (
  { ports }: Context,
  { currency }: DelegationRecord,
  { price }: PlanRecord,
  path: string,
): void => requireCurrency(currency, ports.rails.getByPrice(price).quote(price).currency, path);
