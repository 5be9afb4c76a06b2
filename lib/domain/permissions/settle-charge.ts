import { PaymentsError } from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import { mirroringOf, type Rail } from "../rails/rail.ts";

/** Credits to take for one delivered request, and on which rail they were paid for. */
export type Charge = {
  builder: string;
  agentRequestId: string;
  fingerprint: string;
  account: string;
  planId: string;
  agentId: string | null;
  jti: string;
  delegationId: string;
  amount: bigint;
  rail: Rail;
  /** As the offer spells it. */
  network: string;
  /** Whether the plan's credits cost something, so that they are on chain too. */
  isPaid: boolean;
  /** Whether the request's own reservation pays. */
  fromHold: boolean;
  /** The payment of the order that had to run first. */
  orderTx: string | null;
};

/**
 * Takes the credits, once per builder and request id. `again`: what was read has changed, or the request is settled by
 * now, by a repeat or with another body. Throws `unauthorized` for a key that is not valid any more.
 */
export async function settleCharge(
  { ports, keyHash }: Context,
  charge: Charge,
): Promise<{ settlementId: string; remaining: bigint } | "again"> {
  const { rail, isPaid, ...row } = charge;
  const settlementId = ports.crypto.randomId();
  const settled = await ports.ledger.settle({
    ...row,
    settlementId,
    scheme: rail.scheme,
    transaction: rail.receiptId(settlementId),
    ...mirroringOf(rail, { amount: charge.amount, isPaid }),
    keyHash,
  });
  if (settled.outcome === "settled") {
    return { settlementId: settled.settlementId, remaining: settled.remaining };
  }
  if (settled.outcome !== "unauthorized") return "again";
  throw new PaymentsError("unauthorized", "The API key is unknown, expired or revoked.");
}
