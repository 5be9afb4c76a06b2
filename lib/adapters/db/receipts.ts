import { type Receipt, withoutNulls } from "@turnpike/payments/protocol";
import type { Receipts } from "@/lib/domain/ports.ts";
import { findProof } from "./chain/chain-proofs.ts";
import type { Database } from "./client.ts";

const SETTLEMENT = `
  select s.settlement_id as "settlementId", s.created_at as at, s.plan_id as "planId", p.metadata->>'name' as "planName",
    s.agent_id as "agentId", s.account as payer, s.builder as payee, s.scheme, s.network, s.amount::text as "creditsRedeemed",
    s.remaining::text as "remainingBalance", s.agent_request_id as "agentRequestId", s.order_tx as "orderTx",
    s.chain_status as "chainStatus", s.transaction, s.resource as "resourceUrl"
  from settlements s join plans p on p.plan_id = s.plan_id where s.settlement_id = $1`;

type Row = Omit<Receipt, "settledAt"> & { at: Date };

/** Settlements with the proofs of their burns. */
export function createReceipts(
  database: Database,
  chain: { chainId: number; credits: string },
): Receipts {
  return {
    async find(settlementId) {
      const [row] = await database.query<Row>(SETTLEMENT, [settlementId]);
      if (!row) return null;
      const isOnChain = row.chainStatus !== "none";
      const proof = isOnChain ? await findProof(database, settlementId) : null;
      const { at, ...known } = row;
      return {
        ...(withoutNulls(known) as typeof known),
        settledAt: at.toISOString(),
        ...(isOnChain && { chain }),
        ...(proof && {
          proof: {
            leafTypes: ["string", "uint256"],
            leaf: [settlementId, row.creditsRedeemed],
            siblings: proof.proof,
            root: proof.root,
            userOperationHash: proof.userOperationHash,
          },
        }),
      };
    },
  };
}
