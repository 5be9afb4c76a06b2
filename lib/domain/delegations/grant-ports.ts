import type { GrantToSign } from "@turnpike/payments/protocol";
import type { DelegationRecord } from "../records.ts";

/** Grants on chain that a person's own wallet has to sign. */
export interface OwnerGrants {
  /** Whether the account's owner key is with a person, so that nobody here can sign for it. */
  isOwnerElsewhere(account: string): Promise<boolean>;
  /** What the owner has to sign; the same for the same delegation, whenever it is asked for. */
  describe(delegation: DelegationRecord): Promise<Omit<GrantToSign, "signBefore">>;
  /** Keeps the signed grant for orders and burns; false when the signature is not the owner's. */
  accept(delegation: DelegationRecord, signature: string): Promise<boolean>;
}
