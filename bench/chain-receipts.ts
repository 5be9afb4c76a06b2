import { type Hex, parseEventLogs } from "viem";
import { creditsAbi } from "@/lib/adapters/chain/abis.ts";
import { verifyReceipt } from "@/lib/adapters/chain/bundler/burn-groups.ts";
import type { ChainTestService } from "@/lib/server/testing/chain-service.ts";
import type { ChainMarket } from "./chain-market.ts";

type Receipt = { settlementId: string; amount: bigint; proof: Hex[]; transaction: Hex };

/** How many receipts of a plan are proved by a burn's event, and how many forged ones are. */
export type ProvenReceipts = { receipts: number; proven: number; forged: number };

/**
 * Takes each settlement's leaf and proof from the ledger, and the root from the event of its burn for the same account
 * and plan. A forged leaf has one credit more, or another settlement's id.
 */
export async function proveReceipts(
  service: ChainTestService,
  { planId, subscriber }: ChainMarket,
): Promise<ProvenReceipts> {
  const receipts = await service.database.query<Receipt>(
    `select s.settlement_id as "settlementId", s.amount, s.transaction, leaf->'proof' as proof
     from settlements s join chain_burns c using (settlement_id) join chain_bundles b using (bundle_id)
       cross join lateral jsonb_array_elements(b.burns) burn
       cross join lateral jsonb_array_elements(burn->'settlements') leaf
     where s.plan_id = $1 and leaf->>'settlementId' = s.settlement_id`,
    [planId],
  );
  const roots = new Map<Hex, Hex[]>();
  for (const hash of new Set(receipts.map(({ transaction }) => transaction))) {
    const { logs } = await service.onChain.operator.client.getTransactionReceipt({ hash });
    const burns = parseEventLogs({ abi: creditsAbi, eventName: "CreditsBurned", logs }).filter(
      ({ address, args }) =>
        address.toLowerCase() === service.deployment.credits.toLowerCase() &&
        args.account.toLowerCase() === subscriber.address.toLowerCase() &&
        args.planId === BigInt(planId),
    );
    roots.set(
      hash,
      burns.map(({ args }) => args.root),
    );
  }
  const counted = { receipts: receipts.length, proven: 0, forged: 0 };
  for (const { settlementId, amount, proof, transaction } of receipts) {
    const credits = amount;
    const holds = (id: string, claimed: bigint) =>
      (roots.get(transaction) ?? []).some((root) =>
        verifyReceipt({ settlementId: id, amount: claimed, proof, root }),
      );
    if (holds(settlementId, credits)) counted.proven += 1;
    if (holds(settlementId, credits + 1n) || holds(`${settlementId}-forged`, credits))
      counted.forged += 1;
  }
  return counted;
}
