import type {
  DelegationProvider,
  DelegationSummary,
  ParsedInputOf,
} from "@turnpike/payments/protocol";
import { cardsOf } from "../accounts/payment-methods.ts";
import { requireRoom } from "../accounts/room.ts";
import { budgetsToCopy } from "../budgets/copied-budgets.ts";
import { auditNote, type Context, invalid, notFound, requireCaller } from "../context.ts";
import type { DelegationUse } from "../figures/holdings-ports.ts";
import { pageAnswer } from "../page-answer.ts";
import type { DelegationRecord } from "../records.ts";
import type { Verb } from "../verb.ts";
import { requireWithinRoot } from "./key-roots.ts";
import { awaitOwner, beginningOf } from "./owner-signature.ts";

/** The terms of a new delegation; money in minor units of `currency`. */
export type DelegationTerms = {
  provider: string;
  spendingLimitCents: bigint;
  durationSecs: number;
  currency: string;
  orderLimit: bigint | null;
  maxTransactions: number | null;
  paymentMethodId: string | null;
  planIds: string[];
  name?: string | null;
};

/**
 * Allows spending up to a limit for a time (§4.1, Pattern B). Where the account is owned by its own wallet, the
 * delegation becomes active once that wallet has signed the grant in the answer.
 */
export const createDelegation: Verb<"createDelegation"> = async (context, input) => {
  const delegation = await delegationToCreate(context, input);
  const budgets = input.renews
    ? await budgetsToCopy(
        context,
        await getDelegationRecord(context, input.renews),
        delegation.currency,
      )
    : null;
  const note = auditNote(context, "delegation.create", delegation.delegationId);
  await context.ports.delegations.insert(delegation, note, budgets);
  return beginningOf(context, delegation);
};

/** The delegation an input asks for, to be inserted. Throws `forbidden` where the caller's API key has a root limit. */
export async function delegationToCreate(
  context: Context,
  input: Omit<ParsedInputOf<"createDelegation">, "provider"> & { provider: string },
): Promise<DelegationRecord> {
  await requireWithinRoot(context);
  const planIds = [...new Set([...(input.planIds ?? []), ...(input.planId ? [input.planId] : [])])];
  const delegation = await newDelegation(context, {
    provider: input.provider,
    spendingLimitCents: input.spendingLimitCents,
    durationSecs: input.durationSecs,
    currency: input.currency ?? "usd",
    orderLimit: input.orderLimit ?? null,
    maxTransactions: input.maxTransactions ?? null,
    paymentMethodId: await paymentMethodFor(context, input.provider, input.providerPaymentMethodId),
    planIds,
    name: input.name || null,
  });
  return awaitOwner(context, delegation);
}

/** A delegation with a new session key, to be inserted. */
export async function newDelegation(
  context: Context,
  terms: DelegationTerms,
): Promise<DelegationRecord> {
  const { crypto, clock } = context.ports;
  const { account } = requireCaller(context);
  await requireRoom(context, "delegations");
  const { durationSecs, ...rest } = terms;
  const { address, sealedKey } = crypto.createKey("session-key");
  const createdAt = await clock.now();
  return {
    ...rest,
    delegationId: crypto.randomId(),
    account,
    spentCents: 0n,
    reservedCents: 0n,
    transactionCount: 0,
    sessionKeyAddress: address,
    sessionKey: sealedKey,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + durationSecs * 1000),
    revokedAt: null,
  };
}

/** The payment method a delegation charges: the one named, or the account's default; null where the rail has none. */
export async function paymentMethodFor(
  context: Context,
  provider: string,
  named: string | undefined,
): Promise<string | null> {
  if (!context.ports.rails.findByProvider(provider)?.usesPaymentMethods) return null;
  const cards = await cardsOf(context).listPaymentMethods(requireCaller(context).account);
  const card = named
    ? cards.find(({ id }) => id === named)
    : (cards.find(({ isDefault, isExpired }) => isDefault && !isExpired) ??
      cards.find(({ isExpired }) => !isExpired));
  if (card) return card.id;
  const message = named ? "You have no such saved card." : "Save a card first.";
  throw invalid("providerPaymentMethodId", message);
}

export const listDelegations: Verb<"listDelegations"> = async (context, query) => {
  const page = await context.ports.delegations.list(requireCaller(context).account, query);
  const items = await summariesOf(context, page.items);
  return { ...pageAnswer({ ...page, items }, query), delegations: items, totalResults: page.total };
};

export const getDelegation: Verb<"getDelegation"> = async (context, { delegationId }) => {
  return summaryOf(context, await getDelegationRecord(context, delegationId));
};

/** Permanently revokes a delegation and every token under it, with immediate effect. */
export const revokeDelegation: Verb<"revokeDelegation"> = async (context, { delegationId }) => {
  await getDelegationRecord(context, delegationId);
  const note = auditNote(context, "delegation.revoke", delegationId);
  const tokensRevoked = await context.ports.delegations.revoke(delegationId, note);
  return { success: true, tokensRevoked } as const;
};

/** A delegation of the caller's, or `not_found`. */
export async function getDelegationRecord(
  context: Context,
  delegationId: string,
): Promise<DelegationRecord> {
  const delegation = await context.ports.delegations.find(delegationId);
  if (!delegation || delegation.account !== requireCaller(context).account) {
    throw notFound("delegation", delegationId);
  }
  return delegation;
}

/** Whether a delegation can be used, and if not, why. */
export function statusOf(delegation: DelegationRecord, now: Date): DelegationSummary["status"] {
  if (delegation.revokedAt) return "Revoked";
  if (delegation.expiresAt <= now) return "Expired";
  if (delegation.signBefore) return delegation.signBefore <= now ? "Expired" : "AwaitingSignature";
  const { spendingLimitCents, spentCents, reservedCents, maxTransactions, transactionCount } =
    delegation;
  const isSpent = spendingLimitCents > 0n && spentCents + reservedCents >= spendingLimitCents;
  const isCounted = maxTransactions !== null && transactionCount >= maxTransactions;
  return isSpent || isCounted ? "Exhausted" : "Active";
}

export async function summaryOf(
  context: Context,
  delegation: DelegationRecord,
): Promise<DelegationSummary> {
  const [summary] = await summariesOf(context, [delegation]);
  return summary as DelegationSummary;
}

async function summariesOf(
  { ports }: Context,
  delegations: DelegationRecord[],
): Promise<DelegationSummary[]> {
  const [now, use] = await Promise.all([
    ports.clock.now(),
    ports.holdings.usageOf(delegations.map(({ delegationId }) => delegationId)),
  ]);
  return delegations.map((delegation) => summaryAt(delegation, now, use));
}

const summaryAt = (
  delegation: DelegationRecord,
  now: Date,
  use: Map<string, DelegationUse>,
): DelegationSummary => ({
  delegationId: delegation.delegationId,
  ...(delegation.name && { name: delegation.name }),
  // The wire lists the providers of the public rails.
  provider: delegation.provider as DelegationProvider,
  ...(delegation.paymentMethodId && { providerPaymentMethodId: delegation.paymentMethodId }),
  status: statusOf(delegation, now),
  sessionKeyAddress: delegation.sessionKeyAddress,
  planIds: delegation.planIds,
  spendingLimitCents: delegation.spendingLimitCents,
  amountSpentCents: delegation.spentCents,
  amountReservedCents: delegation.reservedCents,
  remainingBudgetCents:
    delegation.spendingLimitCents - delegation.spentCents - delegation.reservedCents,
  currency: delegation.currency,
  transactionCount: delegation.transactionCount,
  ...(delegation.maxTransactions !== null && { maxTransactions: delegation.maxTransactions }),
  activeTokens: use.get(delegation.delegationId)?.activeTokens ?? 0,
  rootOf: use.get(delegation.delegationId)?.rootOf ?? [],
  ...(delegation.signBefore && { signBefore: delegation.signBefore.toISOString() }),
  expiresAt: delegation.expiresAt.toISOString(),
  createdAt: delegation.createdAt.toISOString(),
  ...(delegation.revokedAt && { revokedAt: delegation.revokedAt.toISOString() }),
});
