import type { GrantToSign } from "@turnpike/payments/protocol";
import type { AccountPayment } from "../money/account-payments.ts";
import type { DelegationRecord } from "../records.ts";

/** Grants that the owner's own wallet has to sign. */
export interface OwnerGrants {
  /** Whether the account's owner keeps their own key, so that the service cannot sign for them. */
  isOwnerElsewhere(account: string): Promise<boolean>;
  /** The grant for the owner to sign; always the same for the same delegation. */
  describe(delegation: DelegationRecord): Promise<Omit<GrantToSign, "signBefore">>;
  /** Keeps the signed grant for orders and burns; false when the signature is not the owner's. */
  accept(delegation: DelegationRecord, signature: string): Promise<boolean>;
  /** One payment out of the account, for the owner to sign; always the same for the same payment. */
  describePayment(payment: AccountPayment): Promise<Pick<GrantToSign, "signer" | "typedData">>;
  /** The signature as contracts take it; null when it is not the owner's. */
  readPaymentSignature(payment: AccountPayment, signature: string): Promise<string | null>;
}
