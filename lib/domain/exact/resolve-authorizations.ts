import type { AccountPaymentRecord } from "../money/account-payments.ts";
import type { Ports } from "../ports.ts";

/** What is looked at within a request, and in a round of the background. */
const AT_ONCE = 10;
const A_ROUND = 50;

/**
 * Reads what became of authorizations for sellers whose outcome is open and due. A captured one is paid; one that expired
 * unused gives its reservations back. Returns how many it looked at.
 */
export async function resolveAuthorizations(ports: Ports): Promise<number> {
  if (!ports.exact) return 0;
  const due = await ports.accountPaymentJournal.takeDue("exact", A_ROUND);
  for (const payment of due) await resolveAuthorization(ports, payment);
  return due.length;
}

/**
 * Reads what became of an account's largest open authorizations, as far as their end could add `missing` to what is available.
 * Whether one has ended.
 */
export async function resolveLargest(
  ports: Ports,
  account: string,
  missing: bigint,
): Promise<boolean> {
  const open = await ports.accountPaymentJournal.listLargest("exact", account, A_ROUND);
  if (open.reduce((sum, { amount }) => sum + amount, 0n) < missing) return false;
  let ended = 0n;
  for (const payment of open.slice(0, AT_ONCE)) {
    const { state, amount } = await resolveAuthorization(ports, payment);
    if (state !== "open") ended += amount;
    if (ended >= missing) break;
  }
  return ended > 0n;
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
