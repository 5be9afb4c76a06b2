import { type ParsedInputOf, PaymentsError, type Receipt } from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";

/**
 * A settlement with the proof of its burn. Its id is random and known to payer and payee only, so
 * anyone else got it from one of them.
 */
export async function getReceipt(
  { ports }: Context,
  { settlementId }: ParsedInputOf<"getReceipt">,
): Promise<Receipt> {
  const receipt = await ports.receipts.find(settlementId);
  if (receipt) {
    // Whose request it was and what is left is for the two sides alone.
    const { remainingBalance: _, agentRequestId: __, ...open } = receipt;
    return open;
  }
  throw new PaymentsError("not_found", `There is no receipt ${JSON.stringify(settlementId)}.`);
}
