import { EXACT } from "@turnpike/payments/protocol";
import type { Authorizations, ExactChain } from "@/lib/domain/exact/exact-ports.ts";
import type { Rail, RailTerms } from "@/lib/domain/rails/rail.ts";
import type { OwnerRefunds } from "../refund-part.ts";

/**
 * The rail of x402's `exact`: an order is paid by the authorization it was made for, which goes from the payer's wallet to
 * the plan's receiver. No plan is priced for it; it buys plans of the rail whose terms are given.
 */
export function createExactRail(options: {
  terms: RailTerms;
  chain: ExactChain;
  authorizations: Pick<Authorizations, "find" | "close">;
  refunds: OwnerRefunds;
  signer: string;
  isHealthy: Rail["isHealthy"];
}): Rail {
  const { terms, chain, authorizations, refunds, signer, isHealthy } = options;
  return {
    ...terms,
    scheme: EXACT,
    delegationProvider: EXACT,
    takes: () => false,
    needsOwnerSignature: false,
    async charge({ fingerprint }) {
      const payment = await authorizations.find(fingerprint);
      if (!payment) throw new Error(`No authorization ${fingerprint}.`);
      const captured = await chain.capture(payment);
      const isPaid = captured.status === "paid";
      const reference = isPaid ? captured.reference : null;
      await authorizations.close(payment.id, isPaid ? "captured" : "refused", reference);
      return captured;
    },
    ...refunds,
    signers: () => ({ pattern: "eip155:*", addresses: [signer] }),
    isHealthy,
  };
}
