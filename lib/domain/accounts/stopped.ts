import { PaymentsError } from "@turnpike/payments/protocol";

/** Refuses everything an account does while the operator has it stopped. */
export const accountStopped = (): PaymentsError =>
  new PaymentsError("forbidden", "This account is stopped.", {
    hint: "Contact the operator of this service.",
  });

/** The caller as the ledger knows them. Throws `forbidden` for a stopped account, else `unauthorized` without a valid key. */
export function requireUsable<T extends { isUsable: boolean; isStopped?: boolean | undefined }>(
  asking: T | null,
): T {
  if (asking?.isStopped) throw accountStopped();
  if (asking?.isUsable) return asking;
  throw new PaymentsError("unauthorized", "The API key is unknown, expired or revoked.");
}
