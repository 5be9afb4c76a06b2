import { type ParsedInputOf, PaymentsError } from "@turnpike/payments/protocol";
import { auditNote, type Context, notFound, requireCaller } from "../context.ts";
import { newDelegation } from "../delegations/delegations.ts";
import { findKeyRoot, requireWithinRoot } from "../delegations/key-roots.ts";
import { awaitOwner, beginningOf } from "../delegations/owner-signature.ts";
import type { ApiKeyRecord, DelegationRecord } from "../records.ts";
import type { Verb } from "../verb.ts";
import { newExpiry, requireWithinOwn, rightsOfKey } from "./key-rights.ts";
import { requireRoomForKey } from "./room.ts";

const YEAR_SECS = 31_557_600;

/** Creates an API key, which only this answer ever shows; with `replaces`, in the place of another one. */
export const createApiKey: Verb<"createApiKey"> = async (context, input) => {
  const caller = requireCaller(context);
  const { account } = caller;
  const { crypto, clock, environment, apiKeys } = context.ports;
  const createdAt = await clock.now();
  await requireRoomForKey(context, createdAt);
  const after = (secs: number) => new Date(createdAt.getTime() + secs * 1000);
  const old = input.replaces ? await getOwn(context, input.replaces.keyId) : null;
  const { preset, scopes } = choosePreset(input, old);
  const rights = rightsOfKey({ preset, scopes });
  requireWithinOwn(caller, rights, "create one");
  if (old) {
    requireWithinOwn(caller, rightsOfKey(old), "replace one");
    await requireWithinRoot(context, old.rootDelegationId ?? undefined);
  }
  if (input.rootLimit) {
    requireWithinOwn(caller, { delegations: "write" }, "create one");
    await requireWithinRoot(context);
  }
  const asked = input.durationSecs === undefined ? null : after(input.durationSecs);
  const expiresAt = newExpiry(caller, asked, after(YEAR_SECS));
  const { apiKey, keyId, hash } = await crypto.createApiKey({
    account,
    environment,
    issuedAt: createdAt,
    expiresAt,
  });
  const root = input.rootLimit ? await rootOf(context, input.name, input.rootLimit) : null;
  const own = await findKeyRoot(context);
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
    rootDelegationId: (root ?? own)?.delegationId ?? old?.rootDelegationId ?? null,
    preset,
    scopes,
    replacedBy: null,
  };
  const replaces = input.replaces && {
    keyId: input.replaces.keyId,
    until: after(input.replaces.overlapSecs),
  };
  const note = auditNote(context, old ? "api-key.rotate" : "api-key.create", keyId);
  const check = (keys: typeof apiKeys) =>
    requireRoomForKey({ ...context, ports: { ...context.ports, apiKeys: keys } }, createdAt);
  await apiKeys.insert(record, { root, replaces: replaces ?? null, check }, note);
  return {
    apiKey,
    keyId,
    preset,
    scopes: rights,
    expiresAt: expiresAt.toISOString(),
    ...(root && { rootDelegation: await beginningOf(context, root) }),
  };
};

/** The rights asked for; without any those of the replaced key, or everything, as before there were presets. */
function choosePreset(
  { preset, scopes }: ParsedInputOf<"createApiKey">,
  old: ApiKeyRecord | null,
): Pick<ApiKeyRecord, "preset" | "scopes"> {
  if (scopes) return { preset: "custom", scopes };
  if (preset || !old) return { preset: preset ?? "full", scopes: null };
  return { preset: old.preset, scopes: old.scopes };
}

async function getOwn(context: Context, keyId: string): Promise<ApiKeyRecord> {
  const { account } = requireCaller(context);
  const key = await context.ports.apiKeys.findOwn(account, keyId);
  if (!key) throw notFound("API key", keyId);
  return key;
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
      preset: key.preset,
      scopes: rightsOfKey(key),
      last4: key.last4,
      createdAt: key.createdAt.toISOString(),
      expiresAt: key.expiresAt.toISOString(),
      ...(key.lastUsedAt && { lastUsedAt: key.lastUsedAt.toISOString() }),
      status: statusOf(key, now),
      ...(key.rootDelegationId && { rootDelegationId: key.rootDelegationId }),
      ...(key.replacedBy && { replacedBy: key.replacedBy }),
    })),
  };
}

/** Revokes a key; its next request is refused. */
export const revokeApiKey: Verb<"revokeApiKey"> = async (context, { keyId }) => {
  const caller = requireCaller(context);
  requireWithinOwn(caller, rightsOfKey(await getOwn(context, keyId)), "revoke one");
  await context.ports.apiKeys.revoke(
    caller.account,
    keyId,
    auditNote(context, "api-key.revoke", keyId),
  );
  return { success: true } as const;
};

const statusOf = ({ revokedAt, expiresAt }: ApiKeyRecord, now: Date) => {
  if (revokedAt) return "Revoked" as const;
  return expiresAt <= now ? ("Expired" as const) : ("Active" as const);
};
