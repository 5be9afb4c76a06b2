import { type ParsedInputOf, PaymentsError } from "@turnpike/payments/protocol";
import { auditNote, type Context, notFound, requireCaller } from "../context.ts";
import { newDelegation } from "../delegations/delegations.ts";
import { awaitOwner, beginningOf } from "../delegations/owner-signature.ts";
import type { ApiKeyRecord, DelegationRecord } from "../records.ts";
import { requireRoomForKey } from "./key-cap.ts";

const YEAR_SECS = 31_557_600;

/** Creates an API key, which only this answer ever shows. */
export async function createApiKey(context: Context, input: ParsedInputOf<"createApiKey">) {
  const { account } = requireCaller(context);
  const { crypto, clock, environment, apiKeys } = context.ports;
  const createdAt = await clock.now();
  await requireRoomForKey(context, createdAt);
  const expiresAt = new Date(createdAt.getTime() + (input.durationSecs ?? YEAR_SECS) * 1000);
  const { apiKey, keyId, hash } = await crypto.createApiKey({
    account,
    environment,
    issuedAt: createdAt,
    expiresAt,
  });
  const root = input.rootLimit ? await rootOf(context, input.name, input.rootLimit) : null;
  const record: ApiKeyRecord = {
    keyId,
    hash,
    account,
    name: input.name,
    last4: apiKey.slice(-4),
    createdAt,
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    rootDelegationId: root?.delegationId ?? null,
  };
  await apiKeys.insert(record, root, auditNote(context, "api-key.create", keyId));
  return {
    apiKey,
    keyId,
    expiresAt: expiresAt.toISOString(),
    ...(root && { rootDelegation: await beginningOf(context, root) }),
  };
}

/** The delegation that a key's tokens and orders are made under; named after the key. */
async function rootOf(
  context: Context,
  name: string,
  limit: NonNullable<ParsedInputOf<"createApiKey">["rootLimit"]>,
): Promise<DelegationRecord> {
  const rail = context.ports.rails.all.find(({ needsOwnerSignature }) => needsOwnerSignature);
  if (!rail) {
    throw new PaymentsError("rail_unavailable", "This deployment has no rail for root limits.");
  }
  const delegation = await newDelegation(context, {
    provider: rail.delegationProvider,
    spendingLimitCents: limit.spendingLimitCents,
    durationSecs: limit.durationSecs,
    currency: limit.currency ?? "usd",
    orderLimit: null,
    maxTransactions: limit.maxTransactions ?? null,
    paymentMethodId: null,
    planIds: [],
    name,
  });
  return awaitOwner(context, delegation);
}

export async function listApiKeys(context: Context) {
  const keys = await context.ports.apiKeys.list(requireCaller(context).account);
  const now = await context.ports.clock.now();
  return {
    items: keys.map((key) => ({
      keyId: key.keyId,
      name: key.name,
      last4: key.last4,
      createdAt: key.createdAt.toISOString(),
      expiresAt: key.expiresAt.toISOString(),
      ...(key.lastUsedAt && { lastUsedAt: key.lastUsedAt.toISOString() }),
      status: statusOf(key, now),
      ...(key.rootDelegationId && { rootDelegationId: key.rootDelegationId }),
    })),
  };
}

/** Revokes a key; its next request is refused. */
export async function revokeApiKey(context: Context, { keyId }: ParsedInputOf<"revokeApiKey">) {
  const { account } = requireCaller(context);
  const isMine = await context.ports.apiKeys.revoke(
    account,
    keyId,
    auditNote(context, "api-key.revoke", keyId),
  );
  if (!isMine) throw notFound("API key", keyId);
  return { success: true } as const;
}

const statusOf = ({ revokedAt, expiresAt }: ApiKeyRecord, now: Date) => {
  if (revokedAt) return "Revoked" as const;
  return expiresAt <= now ? ("Expired" as const) : ("Active" as const);
};
