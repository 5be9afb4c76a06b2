import { getAddress, type Hex } from "viem";
import type { Accounts } from "@/lib/domain/ports.ts";
import type { AccountRecord } from "@/lib/domain/records.ts";
import type { Deployment } from "../deployment.ts";
import { type SmartAccount, smartAccount } from "../smart-account.ts";

/** The service can never sign a grant for this account. */
export class GrantImpossible extends Error {
  override name = "GrantImpossible";
}

/** A person's wallet holds the account's owner key, and it has not signed this grant. */
export class OwnerSignatureNeeded extends GrantImpossible {
  override name = "OwnerSignatureNeeded";
  constructor(account: string) {
    super(`The owner of account ${account} must sign a grant with their wallet.`);
  }
}

/**
 * A key that the service keeps opens under none of its root keys, or is missing. It may be readable later, as when a
 * root key was left out of the settings.
 */
export class KeyUnreadable extends Error {
  override name = "KeyUnreadable";
  constructor(key: string, options?: ErrorOptions) {
    super(`The ${key} can't be read.`, options);
  }
}

/** Decrypts what was sealed for a purpose and a row. */
export type OpenSealed = (sealed: string, place: { purpose: string; row: string }) => string;

/** Accounts with the owner keys that the service holds for them. */
export type OwnerKeys = ReturnType<typeof createOwnerKeys>;

export function createOwnerKeys({
  deployment,
  accounts,
  open,
}: {
  deployment: Deployment;
  accounts: Pick<Accounts, "find">;
  open: OpenSealed;
}) {
  async function getAccount(address: string): Promise<AccountRecord> {
    const account = await accounts.find(address);
    if (!account) throw new GrantImpossible(`There is no account ${address}.`);
    return account;
  }
  return {
    async smartAccount(address: string): Promise<SmartAccount> {
      const { owner } = await getAccount(address);
      const account = smartAccount({ deployment, owner: getAddress(owner) });
      if (account.address === getAddress(address)) return account;
      throw new GrantImpossible(`Account ${address} does not belong to this deployment.`);
    },
    /** The owner's signing key. Throws {@link OwnerSignatureNeeded} when a wallet holds it. */
    async ownerKey(address: string): Promise<Hex> {
      const { ownerKey, owner } = await getAccount(address);
      if (ownerKey === null) throw new OwnerSignatureNeeded(address);
      const place = { purpose: "account-owner", row: owner };
      return openKey(open, ownerKey, { ...place, key: `owner key of account ${address}` });
    },
  };
}

/** Opens a sealed key. Throws {@link KeyUnreadable} with its name, and never with what was sealed. */
export function openKey(
  open: OpenSealed,
  sealed: string,
  { key, ...place }: { purpose: string; row: string; key: string },
): Hex {
  try {
    return open(sealed, place) as Hex;
  } catch (cause) {
    throw new KeyUnreadable(key, { cause });
  }
}

/** The owner's signing key, or null when a wallet holds it. */
export async function findOwnerKey(owners: OwnerKeys, address: string): Promise<Hex | null> {
  try {
    return await owners.ownerKey(address);
  } catch (cause) {
    if (cause instanceof OwnerSignatureNeeded) return null;
    throw cause;
  }
}
