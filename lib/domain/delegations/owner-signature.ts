import { type GrantToSign, isFree, PaymentsError, ZERO_ADDRESS } from "@turnpike/payments/protocol";
import { type Context, invalid } from "../context.ts";
import { parCurrency } from "../orders/money.ts";
import type { DelegationRecord, PlanRecord } from "../records.ts";

/** How long a wallet has to sign a grant before the request for it expires. */
const SIGN_WITHIN_MS = 3_600_000;

/** Whether only the owner's own wallet can sign for this account, where there is something to sign. */
export const isOwnerElsewhere = async ({ ports }: Context, account: string): Promise<boolean> =>
  (await ports.ownerGrants?.isOwnerElsewhere(account)) === true;

/**
 * A delegation ready to be written: where the account's owner is a wallet of their own, it waits for the signature of
 * the grant, which pays in one token. Throws `invalid_input` when its plans are priced in several tokens.
 */
export async function awaitOwner(
  context: Context,
  delegation: DelegationRecord,
): Promise<DelegationRecord> {
  const rail = context.ports.rails.findByProvider(delegation.provider);
  if (!rail?.needsOwnerSignature) return delegation;
  if (!(await isOwnerElsewhere(context, delegation.account))) return delegation;
  const soon = delegation.createdAt.getTime() + SIGN_WITHIN_MS;
  return {
    ...delegation,
    grantToken: await tokenOf(context, delegation),
    signBefore: new Date(Math.min(soon, delegation.expiresAt.getTime())),
  };
}

/** The one token a delegation's plans are paid in; without plans the stable token of its currency. */
async function tokenOf(
  { ports }: Context,
  { planIds, currency }: DelegationRecord,
): Promise<string> {
  const tokens = new Set<string>();
  for (const planId of planIds) {
    const plan = await ports.plans.find(planId);
    if (!plan || isFree(plan.price)) continue;
    const { needsOwnerSignature } = ports.rails.getByPrice(plan.price);
    if (needsOwnerSignature) tokens.add(plan.price.tokenAddress);
  }
  if (tokens.size > 1) {
    throw invalid(
      "planIds",
      "A grant pays in one token, and these plans are priced in several. Create a delegation for each.",
    );
  }
  const [named] = tokens;
  const stable = [...ports.stableTokens].find(
    ([, code]) => parCurrency(code.toLowerCase()) === parCurrency(currency),
  );
  return named ?? stable?.[0] ?? ZERO_ADDRESS;
}

/** The answer to a new delegation, with the grant to sign where one is needed. */
export async function beginningOf(context: Context, delegation: DelegationRecord) {
  return {
    delegationId: delegation.delegationId,
    expiresAt: delegation.expiresAt.toISOString(),
    status: delegation.signBefore ? ("AwaitingSignature" as const) : ("Active" as const),
    ...(delegation.signBefore && { grant: await grantOf(context, delegation) }),
  };
}

/** The grant for the wallet to sign. */
export async function grantOf(
  { ports }: Context,
  delegation: DelegationRecord,
): Promise<GrantToSign> {
  if (!ports.ownerGrants || !delegation.signBefore) {
    throw new PaymentsError("conflict", "This delegation needs no signature.");
  }
  const grant = await ports.ownerGrants.describe(delegation);
  return { ...grant, signBefore: delegation.signBefore.toISOString() };
}

/**
 * Refuses to pay under a delegation that needs the owner's signature and does not have it: not signed yet, created when
 * there was nothing to sign, or signed for another token.
 */
export async function requireOwnerSigned(
  context: Context,
  delegation: DelegationRecord,
  plan: PlanRecord,
  path: string,
): Promise<void> {
  const { needsOwnerSignature } = context.ports.rails.getByPrice(plan.price);
  if (!needsOwnerSignature || isFree(plan.price)) return;
  const { grantToken } = delegation;
  if (!grantToken) {
    if (await isOwnerElsewhere(context, delegation.account)) throw signatureRequired(path);
    return;
  }
  if (grantToken.toLowerCase() === plan.price.tokenAddress.toLowerCase()) return;
  throw invalid(path, `The signed grant pays in ${grantToken}, the plan costs another token.`);
}

/** The refusal of what needs a signature by the owner's wallet. */
export const signatureRequired = (path: string, delegationId?: string): PaymentsError => {
  const message = delegationId
    ? `Delegation ${delegationId} is waiting for the signature of the account's wallet.`
    : "The account is owned by its own wallet, which has to sign a grant first.";
  return new PaymentsError("signature_required", message, { details: [{ path, message }] });
};
