import type { GrantToSign } from "@turnpike/payments/protocol";
import {
  type Address,
  getAddress,
  type Hex,
  hashTypedData,
  recoverAddress,
  zeroAddress,
} from "viem";
import type { GrantStore } from "@/lib/domain/chain-ports.ts";
import type { OwnerGrants } from "@/lib/domain/delegations/grant-ports.ts";
import type { Accounts } from "@/lib/domain/ports.ts";
import type { AccountRecord, DelegationRecord } from "@/lib/domain/records.ts";
import type { Deployment } from "../deployment.ts";
import { smartAccount } from "../smart-account.ts";
import { delegationGrantId, delegationTerms, unsignedGrant } from "./delegation-grant.ts";
import { readLimits } from "./delegation-grants.ts";
import { encodeGrant, type GrantTerms, grantTypedData } from "./grant.ts";
import { readKeySignature } from "./key-signature.ts";
import { paymentTypedData } from "./payment-operation.ts";

/** Grants that people sign with their wallets: the same grants the service signs for accounts without one. */
export function createOwnerGrants(options: {
  deployment: Deployment;
  store: Pick<GrantStore, "insert" | "find" | "budgetsOf">;
  accounts: Pick<Accounts, "find">;
  stableTokens: ReadonlyMap<string, string>;
  now: () => Promise<Date>;
}): OwnerGrants {
  const { deployment, store, accounts, stableTokens } = options;

  async function getAccount(address: string): Promise<AccountRecord> {
    const account = await accounts.find(address);
    const isOurs =
      account && smartAccount({ deployment, owner: getAddress(account.owner) }).address === address;
    if (isOurs) return account;
    throw new Error(`There is no account ${address} on this deployment.`);
  }

  /** The same until the delegation's budgets or the account's change. */
  async function grantOf(delegation: DelegationRecord) {
    const { account, delegationId, sessionKeyAddress: sessionKey } = delegation;
    const token: Address = getAddress(delegation.grantToken ?? zeroAddress);
    const grantId = delegationGrantId(delegationId, token);
    const periodLimits = await readLimits(options, { account, delegationId, token });
    const terms = { ...delegationTerms(delegation, token, stableTokens), periodLimits };
    const grant = unsignedGrant({ deployment, grantId, account, sessionKey, terms });
    return { grantId, token, terms, grant, typedData: grantTypedData({ deployment, grant }) };
  }

  return {
    async isOwnerElsewhere(address) {
      const account = await accounts.find(address);
      return account !== null && account.ownerKey === null;
    },
    async describe(delegation) {
      const { owner } = await getAccount(delegation.account);
      const { terms, token, typedData } = await grantOf(delegation);
      const { delegationId } = delegation;
      const shown = shownTerms({ deployment, delegation, terms, token });
      return { delegationId, signer: owner, typedData: wireTypedData(typedData), terms: shown };
    },
    async accept(delegation, given) {
      const { owner } = await getAccount(delegation.account);
      const { grantId, token, terms, grant, typedData } = await grantOf(delegation);
      const signature = readKeySignature(given);
      const signer = signature && (await recoverSigner(hashTypedData(typedData), signature));
      if (signature === null || signer !== getAddress(owner)) return false;
      await store.insert({
        grantId,
        account: delegation.account,
        kind: "delegation",
        delegationId: delegation.delegationId,
        orderToken: token,
        orderLimit: terms.orderLimit,
        sessionKeyAddress: delegation.sessionKeyAddress,
        sessionKey: delegation.sessionKey,
        signed: encodeGrant({ ...grant, signature }),
        validUntil: new Date(terms.validUntil * 1000),
        createdAt: await options.now(),
        replacedAt: null,
        revokedAt: null,
      });
      return true;
    },
    async describePayment(payment) {
      const { owner } = await getAccount(payment.account);
      return { signer: owner, typedData: wireTypedData(paymentTypedData(deployment, payment)) };
    },
    async readPaymentSignature(payment, given) {
      const { owner } = await getAccount(payment.account);
      const signature = readKeySignature(given);
      const hash = hashTypedData(paymentTypedData(deployment, payment));
      const signer = signature && (await recoverSigner(hash, signature));
      return signer === getAddress(owner) ? signature : null;
    },
  };
}

/** The grant's terms as a person reads them before signing. */
function shownTerms({
  deployment,
  delegation,
  terms,
  token,
}: {
  deployment: Deployment;
  delegation: DelegationRecord;
  terms: GrantTerms;
  token: Address;
}): GrantToSign["terms"] {
  return {
    account: delegation.account,
    sessionKeyAddress: delegation.sessionKeyAddress,
    planIds: delegation.planIds,
    permissions: ["order", "burn"],
    redemptionLimit: terms.redemptionLimit.toString(),
    orderToken: token,
    orderLimit: terms.orderLimit.toString(),
    ...(terms.periodLimits?.length && {
      periodLimits: terms.periodLimits.map(({ period, limit }) => ({
        period,
        limit: limit.toString(),
      })),
    }),
    spendingLimitCents: delegation.spendingLimitCents.toString(),
    currency: delegation.currency,
    validUntil: delegation.expiresAt.toISOString(),
    contracts: {
      plans: deployment.plans,
      credits: deployment.credits,
      enforcer: deployment.sessionLimitsEnforcer,
    },
  };
}

/** The signer, or null for a signature no key could have made: a point off the curve, zeros. */
async function recoverSigner(hash: Hex, signature: Hex): Promise<Address | null> {
  try {
    return await recoverAddress({ hash, signature });
  } catch {
    return null;
  }
}

/** Typed data as JSON; wallets called directly expect the domain's type among the types. */
function wireTypedData({
  domain,
  types,
  primaryType,
  message,
}:
  | ReturnType<typeof grantTypedData>
  | ReturnType<typeof paymentTypedData>): GrantToSign["typedData"] {
  return {
    domain,
    types: {
      EIP712Domain: [
        { name: "name", type: "string" },
        { name: "version", type: "string" },
        { name: "chainId", type: "uint256" },
        { name: "verifyingContract", type: "address" },
      ],
      ...Object.fromEntries(Object.entries(types).map(([name, members]) => [name, [...members]])),
    },
    primaryType,
    message: Object.fromEntries(
      Object.entries(message).map(([name, value]) => [
        name,
        typeof value === "bigint" ? value.toString() : value,
      ]),
    ),
  };
}
