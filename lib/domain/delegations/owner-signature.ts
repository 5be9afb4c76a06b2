import {
  type GrantToSign,
  isFree,
  PaymentsError,
  schemeOfPrice,
  ZERO_ADDRESS,
} from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import { parCurrency } from "../orders/money.ts";
import type { DelegationRecord, PlanRecord } from "../records.ts";

/** How long a wallet has to sign a grant, before it has to be asked for anew. */
const SIGN_WITHIN_MS = 3_600_000;

/** Whether nobody but a person can sign for this account, where there is something to sign. */
export const isOwnerElsewhere = async ({ ports }: Context, account: string): Promise<boolean> =>
  (await ports.ownerGrants?.isOwnerElsewhere(account)) === true;

/**
 * A delegation as it is to be written: where its account's owner is a person's own wallet, it waits for the
 * signature of the grant, which pays in one token. Throws `invalid_input` when its plans cost several.
 */
export async function awaitOwner(
  context: Context,
  delegation: DelegationRecord,
): Promise<DelegationRecord> {
  if (delegation.provider !== "erc4337") return delegation;
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
    const costsTokens = plan && !isFree(plan.price) && plan.price.isCrypto;
    if (costsTokens) tokens.add(plan.price.tokenAddress);
  }
  if (tokens.size > 1) {
    throw invalid("planIds", "A grant pays in one token; these plans cost several. Make one each.");
  }
  const [named] = tokens;
  const stable = [...ports.stableTokens].find(
    ([, code]) => parCurrency(code.toLowerCase()) === parCurrency(currency),
  );
  return named ?? stable?.[0] ?? ZERO_ADDRESS;
}

/** What a new delegation answers: with what has to be signed, when that is so. */
export async function beginningOf(context: Context, delegation: DelegationRecord) {
  return {
    delegationId: delegation.delegationId,
    expiresAt: delegation.expiresAt.toISOString(),
    status: delegation.signBefore ? ("AwaitingSignature" as const) : ("Active" as const),
    ...(delegation.signBefore && { grant: await grantOf(context, delegation) }),
  };
}

/** What the wallet is to sign. */
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
 * Refuses to pay for a plan on chain under a delegation its owner has not signed for: not signed yet, made
 * when there was nothing to sign, or signed for another token.
 */
export async function requireOwnerSigned(
  context: Context,
  delegation: DelegationRecord,
  plan: PlanRecord,
  path: string,
): Promise<void> {
  const isOnChain = schemeOfPrice(plan.price) === "svc:erc4337" && !isFree(plan.price);
  if (!isOnChain || delegation.provider !== "erc4337") return;
  const { grantToken } = delegation;
  if (!grantToken) {
    if (await isOwnerElsewhere(context, delegation.account)) throw signatureRequired(path);
    return;
  }
  if (grantToken.toLowerCase() === plan.price.tokenAddress.toLowerCase()) return;
  throw invalid(path, `The signed grant pays in ${grantToken}, the plan costs another token.`);
}

/** The refusal of what only the owner's wallet can begin. */
export const signatureRequired = (path: string, delegationId?: string): PaymentsError => {
  const message = delegationId
    ? `Delegation ${delegationId} waits for the signature of the account's wallet.`
    : "The account's owner is a person's own wallet, which has to sign a grant first.";
  return new PaymentsError("signature_required", message, { details: [{ path, message }] });
};

const invalid = (path: string, message: string) =>
  new PaymentsError("invalid_input", message, { details: [{ path, message }] });
