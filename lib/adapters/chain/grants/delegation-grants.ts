import { toJson } from "@turnpike/payments/protocol";
import { LRUCache } from "lru-cache";
import type { Address } from "viem";
import type { GrantRow, GrantStore } from "@/lib/domain/chain-ports.ts";
import type { DelegationRecord } from "@/lib/domain/records.ts";
import type { Deployment } from "../deployment.ts";
import { delegationGrantId, delegationTerms } from "./delegation-grant.ts";
import type { OrderPeriodLimit } from "./grant.ts";
import { OwnerSignatureNeeded } from "./owner-keys.ts";
import { periodLimitsOf } from "./period-limits.ts";
import type { Grant, SignedGrants } from "./signed-grants.ts";

export type DelegationGrants = ReturnType<typeof createDelegationGrants>;

/** What signs and keeps grants; `createKey` makes a new session key. */
export type GrantParts = {
  deployment: Deployment;
  store: GrantStore;
  stableTokens: ReadonlyMap<string, string>;
  createKey: (purpose: string) => { address: string; sealedKey: string };
  now: () => Promise<Date>;
};

const CACHED_GRANTS = 20_000;
/** Less than a replaced grant is kept on chain for burns that other replicas have under way. */
const CACHED_MS = 30_000;
/** A grant that ends within this time begins no burn. */
const BURN_MARGIN_MS = 3_600_000;

/**
 * Finds and signs the grants of delegations. Without budgets one grant orders and burns. With budgets there is one for each,
 * under keys of their own: a changed budget replaces the one that orders, and burns go on.
 */
export function createDelegationGrants(parts: GrantParts, grants: SignedGrants) {
  const { deployment, store, stableTokens } = parts;
  const burning = new LRUCache<string, Grant>({ max: CACHED_GRANTS, ttl: CACHED_MS });
  // Without the contract a new grant would be bounded no better.
  const isCurrent = ({ replacedAt }: GrantRow) => !replacedAt || !deployment.periodLimits;
  const numberOf = (rows: GrantRow[], kind: GrantRow["kind"]) =>
    rows.filter((row) => row.kind === kind).length + 1;

  /** Signs a grant under a session key that is its own. */
  function signApart(
    { account, delegationId }: DelegationRecord,
    { grantId, kind }: Pick<GrantRow, "grantId" | "kind">,
    terms: ReturnType<typeof delegationTerms>,
  ): Promise<Grant> {
    const { address: sessionKeyAddress, sealedKey: sessionKey } = parts.createKey("session-key");
    const subject = { grantId, kind, account, delegationId, sessionKeyAddress, sessionKey };
    return grants.sign(subject, terms);
  }

  /** A delegation's grant for orders in `token`, bounded by the budgets of the moment it was signed. */
  async function ofDelegation(delegation: DelegationRecord, token: Address): Promise<Grant> {
    const { delegationId, account, sessionKeyAddress, sessionKey } = delegation;
    const rows = await store.listOfDelegation(delegationId);
    const mine = rows.filter(({ orderToken, kind }) => orderToken === token && kind !== "burn");
    const known = mine.findLast(isCurrent);
    if (known) return grants.read(known);
    const terms = delegationTerms(delegation, token, stableTokens);
    const sign = async (periodLimits: OrderPeriodLimit[]) => {
      if (mine.length === 0 && periodLimits.length === 0) {
        const grantId = delegationGrantId(delegationId, token);
        const subject = { grantId, account, delegationId, sessionKeyAddress, sessionKey };
        return grants.sign({ ...subject, kind: "delegation" }, terms);
      }
      const spent = await store.committed(delegationId, token);
      const grantId = `order:${delegationId}:${token.toLowerCase()}:${numberOf(mine, "order")}`;
      const orderLimit = terms.orderLimit > spent ? terms.orderLimit - spent : 0n;
      const forOrders = { ...terms, redemptionLimit: 0n, orderLimit, periodLimits };
      const kind = "order" as const;
      return signApart(delegation, { grantId, kind }, { ...forOrders, permissions: [kind] });
    };
    const of = { account, delegationId, token };
    return signBounded(parts, of, { sign, again: () => ofDelegation(delegation, token) });
  }

  async function findForBurns(
    delegationId: string,
    read: () => Promise<{ delegation: DelegationRecord; token: Address }>,
  ): Promise<Grant> {
    const rows = await store.listOfDelegation(delegationId);
    const known = rows.findLast((row) => row.kind !== "order" && isCurrent(row));
    const now = (await parts.now()).getTime();
    if (known && known.validUntil.getTime() > now + BURN_MARGIN_MS) return grants.read(known);
    const { delegation, token } = await read();
    const { account } = delegation;
    const limits = await readLimits(parts, { account, delegationId, token });
    const end = Math.max(delegation.expiresAt.getTime(), now);
    if (rows.length === 0 && limits.length === 0 && end > now)
      return ofDelegation(delegation, token);
    const grantId = `burn:${delegationId}:${numberOf(rows, "burn")}`;
    const lasting = { ...delegation, expiresAt: new Date(end) };
    const terms = delegationTerms(lasting, token, stableTokens);
    return signApart(
      delegation,
      { grantId, kind: "burn" },
      { ...terms, permissions: ["burn"], orderLimit: 0n },
    ).catch((cause) => {
      if (known && cause instanceof OwnerSignatureNeeded) return grants.read(known);
      throw cause;
    });
  }

  /** The grant for burns that `find` finds, remembered for half a minute by delegation or plan owner. */
  async function remember(of: string, find: () => Promise<Grant>): Promise<Grant> {
    const known = burning.get(of);
    if (known) return known;
    const grant = await find();
    burning.set(of, grant);
    return grant;
  }

  return {
    ofDelegation,
    remember,
    /** Burns no more under a grant. */
    forget(grantId: string): void {
      for (const [of, grant] of burning) {
        if (grant.grantId === grantId) burning.delete(of);
      }
    },
    /**
     * A delegation's grant for burns: one that lasts, else a new one from what `read` returns; the one that has ended where a
     * wallet would have to sign the new one.
     */
    forBurns: (delegationId: string, read: Parameters<typeof findForBurns>[1]) =>
      remember(delegationId, () => findForBurns(delegationId, read)),
  };
}

type Bounded = { account: string; delegationId: string | null; token: Address };

/** The limits of an account's budgets, and of one of its delegations, that the chain enforces. */
export async function readLimits(
  {
    deployment,
    store,
    stableTokens,
  }: Pick<GrantParts, "deployment" | "stableTokens"> & {
    store: Pick<GrantStore, "budgetsOf">;
  },
  { account, delegationId, token }: Bounded,
): Promise<OrderPeriodLimit[]> {
  if (!deployment.periodLimits) return [];
  return periodLimitsOf(await store.budgetsOf(account, delegationId), token, stableTokens);
}

/** Signs a grant within the current budgets; `again` when they changed while it was signed. */
export async function signBounded(
  parts: Omit<GrantParts, "createKey" | "now">,
  of: Bounded,
  {
    sign,
    again,
  }: { sign: (limits: OrderPeriodLimit[]) => Promise<Grant>; again: () => Promise<Grant> },
): Promise<Grant> {
  const before = await readLimits(parts, of);
  const grant = await sign(before);
  const after = await readLimits(parts, of);
  if (toJson(after) === toJson(before)) return grant;
  await parts.store.markReplaced(grant.grantId);
  return again();
}
