import { LRUCache } from "lru-cache";
import { type Address, getAddress, type Hex, zeroAddress } from "viem";
import type { GrantRow, GrantStore } from "@/lib/domain/chain-ports.ts";
import type { Accounts } from "@/lib/domain/ports.ts";
import type { AccountRecord, DelegationRecord } from "@/lib/domain/records.ts";
import type { Deployment } from "../deployment.ts";
import { type SmartAccount, smartAccount } from "../smart-account.ts";
import {
  delegationGrantId,
  delegationTerms,
  REDEMPTION_LIMIT,
  unsignedGrant,
} from "./delegation-grant.ts";
import { decodeGrant, encodeGrant, type GrantTerms, type SignedGrant, signGrant } from "./grant.ts";
import { type SessionKey, sessionKeyFromPrivateKey } from "./session-key.ts";

/** A signed grant with all that is needed to act under it. */
export type Grant = { grantId: string; account: SmartAccount; grant: SignedGrant };

/** No grant can be signed here for an account, however often it is asked for. */
export class GrantImpossible extends Error {
  override name = "GrantImpossible";
}

/** An account whose owner key a person holds: only he can sign, and he has not. */
export class OwnerSignatureNeeded extends GrantImpossible {
  override name = "OwnerSignatureNeeded";
  constructor(account: string) {
    super(`The owner of account ${account} has to sign a grant with his own wallet.`);
  }
}

export type GrantBook = {
  load: (grantId: string) => Promise<Grant>;
  /** A delegation's grant for orders in `token`, and for burns. */
  ofDelegation: (delegation: DelegationRecord, token: Address) => Promise<Grant>;
  /** A delegation's grant for burns: any it has, else a new one of what `read` finds. */
  forBurns: (
    delegationId: string,
    read: () => Promise<{ delegation: DelegationRecord; token: Address }>,
  ) => Promise<Grant>;
  /** The grant under which an API key's orders are paid, with room for `total`. */
  forOrder: (account: string, token: Address, total: bigint) => Promise<Grant>;
  /** The grant under which a plan's owner burns credits that others hold. */
  forRedemption: (planOwner: string) => Promise<Grant>;
  sessionKey: (address: string) => Promise<SessionKey>;
  /** Drops what is remembered of a grant that is over, its key included. */
  forget: (grantId: string) => void;
  /** The owner's signing key, when the service holds it. Throws {@link OwnerSignatureNeeded}. */
  ownerKey: (account: string) => Promise<Hex>;
};

/** What one root grant may pay in all, in the token's smallest unit: 1,000.00 of a six-decimal dollar. */
const ROOT_ORDER_LIMIT = 1_000_000_000n;
const DAY_MS = 86_400_000;
const ROOT_LIFE_MS = 90 * DAY_MS;
const REDEEM_LIFE_MS = 3650 * DAY_MS;
/** A root grant this close to its end is not used for new orders. */
const ROOT_MARGIN_MS = DAY_MS;
const CACHED_GRANTS = 20_000;

/** Signs grants for accounts whose owner key the service holds, each once, and finds them again. */
export function createGrantBook(options: {
  deployment: Deployment;
  store: GrantStore;
  accounts: Pick<Accounts, "find">;
  stableTokens: ReadonlyMap<string, string>;
  createKey: (purpose: string) => { address: string; sealedKey: string };
  /** Opens what was sealed for a purpose. */
  open: (sealed: string, purpose: string) => string;
  now: () => Promise<Date>;
}): GrantBook {
  const { deployment, store, accounts, stableTokens, createKey, open, now } = options;
  const loaded = new LRUCache<string, Grant>({ max: CACHED_GRANTS });
  const keys = new LRUCache<string, SessionKey>({ max: CACHED_GRANTS });
  const ofDelegations = new LRUCache<string, Grant>({ max: CACHED_GRANTS });

  async function findAccount(address: string): Promise<AccountRecord> {
    const account = await accounts.find(address);
    if (!account) throw new GrantImpossible(`There is no account ${address}.`);
    return account;
  }

  function smartAccountOf({ address, owner }: AccountRecord): SmartAccount {
    const account = smartAccount({ deployment, owner: getAddress(owner) });
    if (account.address === getAddress(address)) return account;
    throw new GrantImpossible(`Account ${address} does not belong to this deployment.`);
  }

  async function ownerKey(address: string): Promise<Hex> {
    const account = await findAccount(address);
    if (account.ownerKey === null) throw new OwnerSignatureNeeded(address);
    return open(account.ownerKey, "account-owner") as Hex;
  }

  async function read(row: GrantRow): Promise<Grant> {
    const known = loaded.get(row.grantId);
    if (known) return known;
    const account = smartAccountOf(await findAccount(row.account));
    const grant = { grantId: row.grantId, account, grant: decodeGrant(row.signed as Hex) };
    loaded.set(row.grantId, grant);
    return grant;
  }

  async function sign(
    row: Omit<
      GrantRow,
      "signed" | "createdAt" | "revokedAt" | "orderLimit" | "orderToken" | "validUntil"
    >,
    terms: GrantTerms,
  ): Promise<Grant> {
    const privateKey = await ownerKey(row.account);
    const { grantId, account, sessionKeyAddress: sessionKey } = row;
    const grant = unsignedGrant({ deployment, grantId, account, sessionKey, terms });
    const stored = await store.insert({
      ...row,
      orderToken: terms.orderToken ?? zeroAddress,
      orderLimit: terms.orderLimit,
      signed: encodeGrant(await signGrant({ deployment, grant, privateKey })),
      validUntil: new Date(terms.validUntil * 1000),
      createdAt: await now(),
      revokedAt: null,
    });
    return read(stored);
  }

  async function load(grantId: string): Promise<Grant> {
    const known = loaded.get(grantId);
    if (known) return known;
    const row = await store.find(grantId);
    if (!row) throw new Error(`There is no grant ${grantId}.`);
    return read(row);
  }

  async function ofDelegation(delegation: DelegationRecord, token: Address): Promise<Grant> {
    const { delegationId, account } = delegation;
    const grantId = delegationGrantId(delegationId, token);
    const known = loaded.get(grantId);
    if (known) return known;
    const row = await store.find(grantId);
    if (row) return read(row);
    return sign(
      {
        grantId,
        account,
        kind: "delegation",
        delegationId,
        sessionKeyAddress: delegation.sessionKeyAddress,
        sessionKey: delegation.sessionKey,
      },
      delegationTerms(delegation, token, stableTokens),
    );
  }

  return {
    load,
    ofDelegation,
    ownerKey,
    async forBurns(delegationId, readDelegation) {
      const known = ofDelegations.get(delegationId);
      if (known) return known;
      const [row] = await store.listOfDelegation(delegationId);
      let grant: Grant;
      if (row) grant = await read(row);
      else {
        const { delegation, token } = await readDelegation();
        grant = await ofDelegation(delegation, token);
      }
      ofDelegations.set(delegationId, grant);
      return grant;
    },
    async forOrder(account, token, total) {
      const at = (await now()).getTime();
      const root = await store.findRoot(account, token);
      const hasRoom =
        root &&
        root.grant.validUntil.getTime() > at + ROOT_MARGIN_MS &&
        root.committed + total <= root.grant.orderLimit;
      if (root && hasRoom) return read(root.grant);
      const number = (root?.number ?? 0) + 1;
      const { address, sealedKey } = createKey("session-key");
      return sign(
        {
          grantId: `root:${account}:${token.toLowerCase()}:${number}`,
          account,
          kind: "root",
          delegationId: null,
          sessionKeyAddress: address,
          sessionKey: sealedKey,
        },
        {
          plans: "any",
          permissions: ["order"],
          redemptionLimit: 0n,
          orderToken: token,
          orderLimit: total > ROOT_ORDER_LIMIT ? total : ROOT_ORDER_LIMIT,
          validUntil: toSeconds(at + ROOT_LIFE_MS),
        },
      );
    },
    async forRedemption(planOwner) {
      const grantId = `redeem:${planOwner}`;
      const row = await store.find(grantId);
      if (row) return read(row);
      const { address, sealedKey } = createKey("session-key");
      return sign(
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
          validUntil: toSeconds((await now()).getTime() + REDEEM_LIFE_MS),
        },
      );
    },
    forget(grantId) {
      const grant = loaded.get(grantId);
      if (grant) keys.delete(grant.grant.delegate);
      loaded.delete(grantId);
    },
    async sessionKey(address) {
      const known = keys.get(address);
      if (known) return known;
      const row = await store.findBySessionKey(address);
      if (!row) throw new Error(`There is no session key ${address}.`);
      const key = sessionKeyFromPrivateKey(open(row.sessionKey, "session-key") as Hex);
      keys.set(address, key);
      return key;
    },
  };
}

const toSeconds = (ms: number) => Math.floor(ms / 1000);
