import type { AccountPaymentRecord } from "../money/account-payments.ts";
import type { Ports } from "../ports.ts";

/**
 * Reads what became of authorizations for sellers whose outcome is open: those that are due, or all of one account. A
 * captured one is paid; one that expired unused gives its reservations back.
 */
export async function resolveAuthorizations(ports: Ports, account?: string): Promise<void> {
  if (!ports.exact) return;
  for (const payment of await ports.accountPaymentJournal.takeDue("exact", 50, account)) {
    await resolveAuthorization(ports, payment);
  }
}

/** The payment as it is now. While the chain cannot be read it stays open. */
export async function resolveAuthorization(
  { exact, accountPaymentJournal: journal, log }: Ports,
  payment: AccountPaymentRecord,
): Promise<AccountPaymentRecord> {
  const { paymentId, authorization, sinceBlock } = payment;
  if (payment.state !== "open" || !authorization || !exact) return payment;
  const { validAfter, validBefore, nonce, signature } = authorization;
  try {
    const found = await exact.findCapture({
      id: paymentId,
      payer: payment.account,
      asset: payment.token,
      payTo: payment.to,
      value: payment.amount,
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce,
      signature,
      sinceBlock: sinceBlock ?? 0n,
    });
    if (!found) return payment;
    const outcome =
      found.status === "paid" ? { status: "paid" as const, txHash: found.reference } : found;
    await journal.close(paymentId, outcome);
    return (await journal.find(paymentId)) ?? payment;
  } catch (cause) {
    log.warn({ paymentId, cause: String(cause) }, "authorization outcome unknown");
    return payment;
  }
}
