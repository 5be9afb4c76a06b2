import type { BudgetPeriod } from "@turnpike/payments/protocol";
import {
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  hashStruct,
  parseAbiParameters,
  size,
  toHex,
  zeroAddress,
} from "viem";
import { signTypedData } from "viem/accounts";
import type { Deployment } from "../deployment.ts";

/** What a session key may do. `burnForOthers` is for grants of plan owners and operators. */
export type GrantPermission = "order" | "burn" | "burnForOthers";

/** What orders may cost in each UTC period; grants of an account with the same scope share what is left. */
export type OrderPeriodLimit = { scope: Hex; period: BudgetPeriod; limit: bigint };

/** Terms of a grant; the chain enforces each of them. */
export type GrantTerms = {
  /** Plans the key may act on. `any` includes plans created later. */
  plans: bigint[] | "any";
  permissions: GrantPermission[];
  /** Total number of calls that may be redeemed. */
  redemptionLimit: bigint;
  /** Token that `orderLimit` counts in; the zero address is the chain's own coin. */
  orderToken?: Address;
  /** Total that orders may cost, in the token's smallest unit. */
  orderLimit: bigint;
  /** Ignored where the deployment has no contract for them. */
  periodLimits?: readonly OrderPeriodLimit[];
  /** Unix second at which the grant expires; 0 means never. Leave time for late burns. */
  validUntil: number;
};

/** A delegation in the framework's shape, ready to be signed by the account's owner. */
export type Grant = {
  delegate: Address;
  delegator: Address;
  authority: Hex;
  caveats: readonly { enforcer: Address; terms: Hex; args: Hex }[];
  salt: bigint;
};
export type SignedGrant = Grant & { signature: Hex };

const ROOT_AUTHORITY: Hex = `0x${"f".repeat(64)}`;
export const permissionBits: Record<GrantPermission, number> = {
  order: 1,
  burn: 2,
  burnForOthers: 4,
};
export const termsParameters = parseAbiParameters(
  "(address plans, address credits, uint256[] planIds, uint8 permissions, uint128 redemptionLimit, address orderToken, uint256 orderLimit, uint64 validUntil)",
);
const PERIODS: readonly BudgetPeriod[] = ["call", "day", "week", "month"];
const periodParameters = parseAbiParameters([
  "PeriodTerms terms",
  "struct PeriodTerms { address plans; address token; PeriodLimit[] limits; }",
  "struct PeriodLimit { bytes32 scope; uint8 period; uint256 limit; }",
]);
const grantParameters = parseAbiParameters([
  "Delegation[] delegations",
  "struct Delegation { address delegate; address delegator; bytes32 authority; Caveat[] caveats; uint256 salt; bytes signature; }",
  "struct Caveat { address enforcer; bytes terms; bytes args; }",
]);
const grantTypes = {
  Delegation: [
    { name: "delegate", type: "address" },
    { name: "delegator", type: "address" },
    { name: "authority", type: "bytes32" },
    { name: "caveats", type: "Caveat[]" },
    { name: "salt", type: "uint256" },
  ],
  Caveat: [
    { name: "enforcer", type: "address" },
    { name: "terms", type: "bytes" },
  ],
} as const;

/**
 * Builds the grant that allows a session key to act for an account, within terms.
 *
 * @param salt must be new for every grant: the same salt and terms give the same grant, with its used limits.
 * @example const grant = buildGrant({ deployment, account, sessionKey, salt: 1n, terms: { plans: [planId], permissions: ["burn"], redemptionLimit: 100n, orderLimit: 0n, validUntil } });
 */
export function buildGrant(options: {
  deployment: Deployment;
  account: Address;
  sessionKey: Address;
  terms: GrantTerms;
  salt: bigint;
}): Grant {
  const { deployment, account, sessionKey, terms, salt } = options;
  if (terms.plans !== "any" && terms.plans.length === 0) {
    // An empty list means "any plan" to the enforcer; an empty list must not grant that by accident.
    throw new Error('A grant needs at least one plan, or "any".');
  }
  const encoded = encodeAbiParameters(termsParameters, [
    {
      plans: deployment.plans,
      credits: deployment.credits,
      planIds: terms.plans === "any" ? [] : terms.plans,
      permissions: terms.permissions.reduce(
        (bits, permission) => bits | permissionBits[permission],
        0,
      ),
      redemptionLimit: terms.redemptionLimit,
      orderToken: terms.orderToken ?? zeroAddress,
      orderLimit: terms.orderLimit,
      validUntil: BigInt(terms.validUntil),
    },
  ]);
  return {
    delegate: sessionKey,
    delegator: account,
    authority: ROOT_AUTHORITY,
    caveats: [
      { enforcer: deployment.sessionLimitsEnforcer, terms: encoded, args: "0x" },
      ...periodCaveats(deployment, terms),
    ],
    salt,
  };
}

function periodCaveats(
  { plans, periodLimits: enforcer }: Deployment,
  { orderToken: token = zeroAddress, periodLimits = [] }: GrantTerms,
): Grant["caveats"] {
  if (!enforcer || periodLimits.length === 0) return [];
  const limits = periodLimits.map((bound) => ({
    ...bound,
    period: PERIODS.indexOf(bound.period),
  }));
  const terms = encodeAbiParameters(periodParameters, [{ plans, token, limits }]);
  return [{ enforcer, terms, args: "0x" }];
}

/** The grant as it pays an order made at `at`: its cost counts in the periods of that time, whenever it is included. */
export function datedGrant<G extends Grant>(deployment: Deployment, grant: G, at: Date): G {
  const args = toHex(Math.floor(at.getTime() / 1000), { size: 32 });
  const caveats = grant.caveats.map((caveat) =>
    caveat.enforcer === deployment.periodLimits ? { ...caveat, args } : caveat,
  );
  return { ...grant, caveats };
}

/** What reading and counting a grant's periods costs at most: by the size of their terms, 96 bytes and a counter each. */
export function gasOfPeriodLimits(deployment: Deployment, grant: Grant): bigint {
  const caveat = grant.caveats.find(({ enforcer }) => enforcer === deployment.periodLimits);
  return caveat ? 30_000n + 350n * BigInt(size(caveat.terms)) : 0n;
}

/** The grant as EIP-712 typed data, for a wallet to sign. */
export function grantTypedData({ deployment, grant }: { deployment: Deployment; grant: Grant }) {
  return {
    domain: {
      name: "DelegationManager",
      version: "1",
      chainId: deployment.chainId,
      verifyingContract: deployment.delegationManager,
    },
    types: grantTypes,
    primaryType: "Delegation",
    message: {
      delegate: grant.delegate,
      delegator: grant.delegator,
      authority: grant.authority,
      caveats: grant.caveats.map(({ enforcer, terms }) => ({ enforcer, terms })),
      salt: grant.salt,
    },
  } as const;
}

/** The hash under which the chain counts a grant's use and stores its revocation. */
export function grantHash(grant: Grant): Hex {
  const data = {
    ...grant,
    caveats: grant.caveats.map(({ enforcer, terms }) => ({ enforcer, terms })),
  };
  return hashStruct({ types: grantTypes, primaryType: "Delegation", data });
}

/** Signs a grant with the account owner's key. */
export async function signGrant(options: {
  deployment: Deployment;
  grant: Grant;
  privateKey: Hex;
}): Promise<SignedGrant> {
  const { grant, privateKey } = options;
  return { ...grant, signature: await signTypedData({ ...grantTypedData(options), privateKey }) };
}

/** Encodes a signed grant as the delegation manager reads it, which is also how it is stored. */
export function encodeGrant(grant: SignedGrant): Hex {
  return encodeAbiParameters(grantParameters, [[grant]]);
}

/** Decodes what {@link encodeGrant} wrote. */
export function decodeGrant(bytes: Hex): SignedGrant {
  const [grants] = decodeAbiParameters(grantParameters, bytes);
  const [grant] = grants;
  if (grants.length !== 1 || !grant) throw new Error(`Expected one grant, found ${grants.length}.`);
  return grant;
}
