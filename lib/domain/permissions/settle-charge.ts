import { PaymentsError } from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import type { SettleOutcome, SettleRow } from "../ledger-rows.ts";
import { mirroringOf, type Rail } from "../rails/rail.ts";
import type { Settled } from "./settlement.ts";

/** Credits to take for one delivered request. `network` is as the offer spells it. */
export type Charge = {
  row: Omit<
    SettleRow,
    "settlementId" | "scheme" | "transaction" | "chainStatus" | "mirror" | "keyHash"
  >;
  rail: Rail;
  /** Whether the plan's credits cost something, so that they are on chain too. */
  isPaid: boolean;
};

/**
 * Takes the credits, once per builder and request id; or why not: what was read has changed, or the request is settled
 * by now, by a repeat or with another body. Throws `unauthorized` for a key that is not valid any more.
 */
export async function settleCharge(
  { ports, keyHash }: Context,
  { row, rail, isPaid }: Charge,
): Promise<Settled | Exclude<SettleOutcome["outcome"], "settled" | "unauthorized">> {
  const settlementId = ports.crypto.orderedId();
  const transaction = rail.receiptId(settlementId);
  const mirroring = mirroringOf(rail, { amount: row.amount, isPaid });
  // The copy last: members added after one cost a microsecond each.
  const settled = await ports.ledger.settle({
    settlementId,
    scheme: rail.scheme,
    transaction,
    keyHash,
    ...mirroring,
    ...row,
  });
  if (settled.outcome === "settled") {
    const { agentRequestId, account: payer, planId, network, amount, orderTx } = row;
    const { remaining, settledAt } = settled;
    const { chainStatus } = mirroring;
    return {
      agentRequestId,
      payer,
      planId,
      network,
      amount,
      orderTx,
      remaining,
      settlementId,
      transaction,
      chainStatus,
      settledAt,
    };
  }
  if (settled.outcome !== "unauthorized") return settled.outcome;
  throw new PaymentsError("unauthorized", "The API key is unknown, expired or revoked.");
}
