import { MAX_UINT256 } from "@turnpike/payments/protocol";
import { type Address, getAddress, keccak256, stringToHex } from "viem";
import { fromMinorUnits } from "@/lib/console/minor-units.ts";
import { least } from "@/lib/domain/orders/money.ts";
import type { DelegationRecord } from "@/lib/domain/records.ts";
import type { Deployment } from "../deployment.ts";
import { buildGrant, type Grant, type GrantTerms } from "./grant.ts";

/** How many calls one grant may redeem on chain. Far above the ledger's limits; it bounds a stolen key. */
export const REDEMPTION_LIMIT = 1_000_000_000n;
/** Credits reserved before expiry may be burned this much later, as in the contract. */
const BURN_GRACE_MS = 86_400_000;

/** The id of a delegation's grant for orders in `token`. */
export const delegationGrantId = (delegationId: string, token: Address): string =>
  `delegation:${delegationId}:${token.toLowerCase()}`;

/** What a delegation lets its session key do on chain, with orders paid in `token`. */
export function delegationTerms(
  delegation: DelegationRecord,
  token: Address,
  stableTokens: ReadonlyMap<string, string>,
): GrantTerms {
  const { planIds, expiresAt, spendingLimitCents, orderLimit } = delegation;
  const currency = stableTokens.get(token.toLowerCase());
  return {
    plans: planIds.length === 0 ? "any" : planIds.map(BigInt),
    permissions: ["order", "burn"],
    redemptionLimit: REDEMPTION_LIMIT,
    orderToken: token,
    orderLimit: currency
      ? least(fromMinorUnits(spendingLimitCents, currency), MAX_UINT256)
      : (orderLimit ?? 0n),
    validUntil: Math.floor((expiresAt.getTime() + BURN_GRACE_MS) / 1000),
  };
}

/** The unsigned grant. Equal ids and terms give the same grant, whose use counts on. */
export const unsignedGrant = (options: {
  deployment: Deployment;
  grantId: string;
  account: string;
  sessionKey: string;
  terms: GrantTerms;
}): Grant =>
  buildGrant({
    deployment: options.deployment,
    account: getAddress(options.account),
    sessionKey: getAddress(options.sessionKey),
    terms: options.terms,
    salt: BigInt(keccak256(stringToHex(options.grantId))),
  });
