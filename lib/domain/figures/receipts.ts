import { isEvmNetwork, PaymentsError, type Receipt } from "@turnpike/payments/protocol";
import { signReceipt } from "../permissions/sign-statement.ts";
import type { Ports } from "../ports.ts";
import type { Verb } from "../verb.ts";

/**
 * A settlement with the proof of its burn. Its id is random and known to payer and payee only, so
 * anyone else got it from one of them.
 */
export const getReceipt: Verb<"getReceipt"> = async ({ ports }, { settlementId }) => {
  const receipt = await ports.receipts.find(settlementId);
  if (receipt) {
    // Whose request it was and what is left is for the two sides alone.
    const { remainingBalance: _, agentRequestId: __, ...open } = receipt;
    return { ...open, ...signedForms(ports, open) };
  }
  throw new PaymentsError("not_found", `No such receipt: ${JSON.stringify(settlementId)}.`);
};

/** The receipt as x402 signs it, by JWS and, on chains of EVM, by EIP-712. */
function signedForms(ports: Ports, receipt: Receipt): Pick<Receipt, "signed"> {
  const { resourceUrl: resource, settledAt, ...paid } = receipt;
  if (resource === undefined) return {};
  const statement = { ...paid, resource, issuedAt: new Date(settledAt) };
  const formats = isEvmNetwork(paid.network) ? (["jws", "eip712"] as const) : (["jws"] as const);
  return { signed: formats.map((format) => signReceipt(ports, statement, format)) };
}
