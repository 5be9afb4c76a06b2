import { LRUCache } from "lru-cache";
import { type Hex, zeroAddress } from "viem";
import type { GrantRow, GrantStore } from "@/lib/domain/chain-ports.ts";
import type { Deployment } from "../deployment.ts";
import type { SmartAccount } from "../smart-account.ts";
import { unsignedGrant } from "./delegation-grant.ts";
import { decodeGrant, encodeGrant, type GrantTerms, type SignedGrant, signGrant } from "./grant.ts";
import type { OwnerKeys } from "./owner-keys.ts";

/** A signed grant with all that is needed to act under it. */
export type Grant = { grantId: string; account: SmartAccount; grant: SignedGrant };

/** What identifies a grant before it is signed. */
export type GrantSubject = Pick<
  GrantRow,
  "grantId" | "account" | "kind" | "delegationId" | "sessionKeyAddress" | "sessionKey"
>;

/** Stored grants, each signed once and cached. */
export type SignedGrants = ReturnType<typeof createSignedGrants>;

const CACHED_GRANTS = 20_000;

export function createSignedGrants({
  deployment,
  store,
  owners,
  now,
}: {
  deployment: Deployment;
  store: GrantStore;
  owners: OwnerKeys;
  now: () => Promise<Date>;
}) {
  const cached = new LRUCache<string, Grant>({ max: CACHED_GRANTS });

  async function read(row: GrantRow): Promise<Grant> {
    const known = cached.get(row.grantId);
    if (known) return known;
    const account = await owners.smartAccount(row.account);
    const grant = { grantId: row.grantId, account, grant: decodeGrant(row.signed as Hex) };
    cached.set(row.grantId, grant);
    return grant;
  }

  return {
    read,
    async find(grantId: string): Promise<Grant | null> {
      const known = cached.get(grantId);
      if (known) return known;
      const row = await store.find(grantId);
      return row && read(row);
    },
    async sign(subject: GrantSubject, terms: GrantTerms): Promise<Grant> {
      const privateKey = await owners.ownerKey(subject.account);
      const { grantId, account, sessionKeyAddress: sessionKey } = subject;
      const grant = unsignedGrant({ deployment, grantId, account, sessionKey, terms });
      const stored = await store.insert({
        ...subject,
        orderToken: terms.orderToken ?? zeroAddress,
        orderLimit: terms.orderLimit,
        signed: encodeGrant(await signGrant({ deployment, grant, privateKey })),
        validUntil: new Date(terms.validUntil * 1000),
        createdAt: await now(),
        replacedAt: null,
        revokedAt: null,
      });
      return read(stored);
    },
    /** Drops a grant from the cache and returns it. */
    forget(grantId: string): Grant | undefined {
      const grant = cached.get(grantId);
      cached.delete(grantId);
      return grant;
    },
  };
}
