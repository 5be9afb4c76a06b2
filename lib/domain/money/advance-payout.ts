import type { Ports } from "../ports.ts";
import type { PayoutProcessor, PayoutRecord } from "./payout-ports.ts";

/** Transfer, payout and its way back are three steps; one more finds nothing to do. */
const MAX_STEPS = 4;

/**
 * Takes a payout as far as it goes now. Each step is written after it is known; after a crash or a lost answer the same
 * step is repeated under the same key. What is unknown stays as it is and is looked at again.
 */
export async function advancePayout(
  ports: Pick<Ports, "accounts" | "payouts" | "payoutProcessor" | "log">,
  payout: PayoutRecord,
): Promise<PayoutRecord> {
  const { payouts, payoutProcessor: processor, log } = ports;
  if (!processor) return payout;
  const { payoutId } = payout;
  let now = payout;
  try {
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const before = now;
      await takeStep(ports, processor, now);
      now = (await payouts.findPayout(payoutId)) ?? now;
      const hasMoved =
        now.state !== before.state || now.transferReference !== before.transferReference;
      if (!hasMoved) break;
    }
  } catch (cause) {
    log.warn({ payoutId, cause: String(cause) }, "payout outcome unknown");
    now = (await payouts.findPayout(payoutId)) ?? now;
  }
  return now;
}

async function takeStep(
  { accounts, payouts, log }: Pick<Ports, "accounts" | "payouts" | "log">,
  processor: PayoutProcessor,
  payout: PayoutRecord,
): Promise<void> {
  const { payoutId } = payout;
  // Those before it took their time: it waits if its account was stopped meanwhile.
  if (payout.state === "open" && (await accounts.find(payout.account))?.stoppedAt) return;
  if (payout.state === "open" && !payout.transferReference) {
    const transfer = await processor.transfer(payout);
    if ("failure" in transfer) {
      const { isOperators } = transfer.failure;
      log[isOperators ? "error" : "warn"](
        { payoutId, ...transfer.failure },
        "transfer of a payout refused",
      );
      return payouts.fail(payoutId, transfer.failure);
    }
    if (await payouts.noteTransfer(payoutId, transfer.reference)) return;
    // It failed for another replica meanwhile, so its money is owed again.
    return processor.takeBack({ ...payout, transferReference: transfer.reference });
  }
  if (payout.state === "open") {
    const sent = await processor.payOut(payout);
    if ("failure" in sent) {
      const { isOfAccount, isOperators } = sent.failure;
      log[isOperators ? "error" : "warn"]({ payoutId, ...sent.failure }, "payout refused");
      // It would be refused daily, after a transfer that is taken back each time.
      const message = `${sent.failure.message} Your payout schedule is now manual.`;
      return payouts.beginReturn(payoutId, sent.failure, isOfAccount ? { message } : undefined);
    }
    return payouts.moveOn(payoutId, { state: "sent", ...sent });
  }
  if (payout.state === "sent" || payout.state === "paid") {
    const found = await processor.readPayout(payout);
    if ("failure" in found) return payouts.beginReturn(payoutId, found.failure);
    return found.status === "paid" ? payouts.moveOn(payoutId, { state: "paid" }) : undefined;
  }
  if (payout.state === "returning") {
    await processor.takeBack(payout);
    await payouts.fail(payoutId);
    log.warn({ payoutId, code: payout.failureCode }, "payout failed, owed again");
  }
}
