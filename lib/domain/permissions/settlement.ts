import type { ChainStatus, Settlement } from "@turnpike/payments/protocol";

/** A settled request as its answer needs it. */
export type Settled = {
  agentRequestId: string;
  payer: string;
  planId: string;
  network: string;
  amount: bigint;
  remaining: bigint;
  settlementId: string;
  orderTx: string | null;
  transaction: string;
  chainStatus: ChainStatus;
  /** Known for one that was just made. */
  settledAt?: Date;
};

/** Settle's answer once the credits are burned (§2.6). */
export function settlementOf(settled: Settled): Settlement {
  const { agentRequestId, settlementId, transaction, chainStatus, orderTx, planId } = settled;
  const creditsRedeemed = settled.amount.toString();
  const remainingBalance = settled.remaining.toString();
  return {
    success: true,
    payer: settled.payer,
    transaction,
    network: settled.network,
    creditsRedeemed,
    remainingBalance,
    agentRequestId,
    planId,
    ...(orderTx && { orderTx }),
    txHash: transaction,
    amount: creditsRedeemed,
    extra: { creditsRedeemed, remainingBalance, agentRequestId, planId, settlementId, chainStatus },
  };
}
