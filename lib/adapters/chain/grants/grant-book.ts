import { LRUCache } from "lru-cache";
import type { Address } from "viem";
import type { Accounts } from "@/lib/domain/ports.ts";
import { REDEMPTION_LIMIT } from "./delegation-grant.ts";
import {
  createDelegationGrants,
  type DelegationGrants,
  type GrantParts,
  signBounded,
} from "./delegation-grants.ts";
import type { GrantTerms } from "./grant.ts";
import {
  createOwnerKeys,
  KeyUnreadable,
  type OpenSealed,
  type OwnerKeys,
  openKey,
} from "./owner-keys.ts";
import { type SessionKey, sessionKeyFromPrivateKey } from "./session-key.ts";
import { createSignedGrants, type Grant, type SignedGrants } from "./signed-grants.ts";

export type GrantBook = OwnerKeys &
  DelegationGrants & {
    load: (grantId: string) => Promise<Grant>;
    /** The grant under which an API key's orders are paid, with room for `total`. */
    forOrder: (account: string, token: Address, total: bigint) => Promise<Grant>;
    /** The grant under which a plan's owner burns credits that others hold. */
    forRedemption: (planOwner: string) => Promise<Grant>;
    /** Throws {@link KeyUnreadable}. */
    sessionKey: (address: string) => Promise<SessionKey>;
    /** Drops a revoked or expired grant and its key from the caches. */
    forget: (grantId: string) => void;
  };

/** What one root grant may pay in all, in the token's smallest unit: 1,000.00 of a six-decimal dollar. */
const ROOT_ORDER_LIMIT = 1_000_000_000n;
const DAY_MS = 86_400_000;
const ROOT_LIFE_MS = 90 * DAY_MS;
/** A plan owner burns under another grant each month, so that none is used up. */
const REDEEM_LIFE_MS = 62 * DAY_MS;
/** A root grant that expires within this time is not used for new orders. */
const ROOT_MARGIN_MS = DAY_MS;
const CACHED_KEYS = 20_000;

type GrantBookOptions = GrantParts & {
  accounts: Pick<Accounts, "find">;
  open: OpenSealed;
};

/** Finds the grants of accounts whose owner key the service holds, and signs each once. */
export function createGrantBook(options: GrantBookOptions): GrantBook {
  const { store, open } = options;
  const owners = createOwnerKeys(options);
  const grants = createSignedGrants({ ...options, owners });
  const delegations = createDelegationGrants(options, grants);
  const keys = new LRUCache<string, SessionKey>({ max: CACHED_KEYS });

  return {
    async load(grantId) {
      const grant = await grants.find(grantId);
      if (!grant) throw new Error(`There is no grant ${grantId}.`);
      return grant;
    },
    ...delegations,
    ...owners,
    forOrder: (account, token, total) => rootGrant(options, grants, { account, token, total }),
    forRedemption: (planOwner) =>
      delegations.remember(planOwner, () => redemptionGrant(options, grants, planOwner)),
    forget(grantId) {
      delegations.forget(grantId);
      const forgotten = grants.forget(grantId);
      if (forgotten) keys.delete(forgotten.grant.delegate);
    },
    async sessionKey(address) {
      const known = keys.get(address);
      if (known) return known;
      const row = await store.findBySessionKey(address);
      const name = `session key ${address}`;
      if (!row) throw new KeyUnreadable(name);
      const place = { purpose: "session-key", row: address, key: name };
      const key = sessionKeyFromPrivateKey(openKey(open, row.sessionKey, place));
      keys.set(address, key);
      return key;
    },
  };
}

/** The account's newest root grant, or a new one when it expires soon or has no room left. */
async function rootGrant(
  options: GrantBookOptions,
  grants: SignedGrants,
  order: { account: string; token: Address; total: bigint },
): Promise<Grant> {
  const { store, createKey, now } = options;
  const { account, token, total } = order;
  const at = (await now()).getTime();
  const root = await store.findRoot(account, token);
  const hasRoom =
    root.grant !== null &&
    root.grant.validUntil.getTime() > at + ROOT_MARGIN_MS &&
    root.committed + total <= root.grant.orderLimit;
  if (root.grant && hasRoom) return grants.read(root.grant);
  const { address, sealedKey } = createKey("session-key");
  const subject = {
    // Counted over the replaced ones too: their ids are taken, and a taken id returns the earlier grant.
    grantId: `root:${account}:${token.toLowerCase()}:${root.number + 1}`,
    account,
    kind: "root" as const,
    delegationId: null,
    sessionKeyAddress: address,
    sessionKey: sealedKey,
  };
  const terms: GrantTerms = {
    plans: "any",
    permissions: ["order"],
    redemptionLimit: 0n,
    orderToken: token,
    orderLimit: total > ROOT_ORDER_LIMIT ? total : ROOT_ORDER_LIMIT,
    validUntil: toSeconds(at + ROOT_LIFE_MS),
  };
  const of = { account, delegationId: null, token };
  return signBounded(options, of, {
    sign: (periodLimits) => grants.sign(subject, { ...terms, periodLimits }),
    again: () => rootGrant(options, grants, order),
  });
}

async function redemptionGrant(
  { createKey, now }: GrantBookOptions,
  grants: SignedGrants,
  planOwner: string,
): Promise<Grant> {
  const at = await now();
  const grantId = `redeem:${planOwner}:${at.toISOString().slice(0, 7)}`;
  const known = await grants.find(grantId);
  if (known) return known;
  const { address, sealedKey } = createKey("session-key");
  return grants.sign(
    {
      grantId,
      account: planOwner,
      kind: "redeem",
      delegationId: null,
      sessionKeyAddress: address,
      sessionKey: sealedKey,
    },
    {
      plans: "any",
      permissions: ["burn", "burnForOthers"],
      redemptionLimit: REDEMPTION_LIMIT,
      orderLimit: 0n,
      validUntil: toSeconds(at.getTime() + REDEEM_LIFE_MS),
    },
  );
}

const toSeconds = (ms: number) => Math.floor(ms / 1000);
