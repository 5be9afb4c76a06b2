import type { Ports } from "../ports.ts";

/** Looks again at withdrawals whose outcome is unknown. */
export async function resolveWithdrawals(ports: Ports): Promise<void> {
  const { accountPayments, accountPaymentJournal: journal, log } = ports;
  if (!accountPayments) return;
  for (const payment of await journal.takeDue("withdrawal", 20)) {
    const { status } = await accountPayments.pay(payment);
    if (status !== "paid")
      log.warn({ paymentId: payment.paymentId, status }, "withdrawal looked at");
  }
}
