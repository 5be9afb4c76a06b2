import type { Hex } from "@/lib/domain/chain-ports.ts";
import type { Database } from "../client.ts";
import { readFirst } from "../rows.ts";

/** A settlement's place in the burn that took its credits on chain: `root` is the one in the burn's event. */
export type ReceiptProof = { root: Hex; proof: Hex[]; userOperationHash: Hex };

/** The proof of a settlement that is in a bundle, or null while it is in none. */
export const findProof = (
  { query }: Database,
  settlementId: string,
): Promise<ReceiptProof | null> =>
  readFirst(
    query(
      `select burn->>'root' as root, burn->>'userOperationHash' as "userOperationHash", leaf->'proof' as proof
     from chain_burns c join chain_bundles b on b.bundle_id = c.bundle_id
       cross join lateral jsonb_array_elements(b.burns) burn
       cross join lateral jsonb_array_elements(burn->'settlements') leaf
     where c.settlement_id = $1 and leaf->>'settlementId' = $1`,
      [settlementId],
    ),
  );
