import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import type { Hex } from "viem";
import type { SettlementProof } from "@/lib/domain/chain-ports.ts";
import { encodeGrant, type SignedGrant } from "../grants/grant.ts";
import type { BurnOperation } from "./bundler-store.ts";

/** Settlements of one grant, plan and holder that burn together. */
export type BurnGroup = Omit<BurnOperation, "settlementId" | "attempts"> & {
  root: Hex;
  settlements: SettlementProof[];
  operations: BurnOperation[];
};

/** Types of a receipt's leaf: settlement id and credits. */
const RECEIPT_LEAF_TYPES = ["string", "uint256"];

/** Groups settlements of one grant, plan and holder, and gives each its proof. `isGrouped` false keeps them apart. */
export function groupBurns(operations: BurnOperation[], isGrouped = true): BurnGroup[] {
  const groups = new Map<string, BurnOperation[]>();
  for (const operation of operations) {
    const { grant, planId, holder, settlementId } = operation;
    const key = `${keyOf(grant)}:${planId}:${holder.toLowerCase()}${isGrouped ? "" : `:${settlementId}`}`;
    const group = groups.get(key);
    if (group) group.push(operation);
    else groups.set(key, [operation]);
  }
  return [...groups.values()].map(createBurnGroup);
}

const keys = new WeakMap<SignedGrant, Hex>();

/** A grant's bytes, cached: the same few grants recur, and encoding is the most expensive part of grouping. */
function keyOf(grant: SignedGrant): Hex {
  const known = keys.get(grant);
  if (known) return known;
  const key = encodeGrant(grant);
  keys.set(grant, key);
  return key;
}

/** Halves a group to find the settlement that makes it fail. */
export function splitBurnGroup(group: BurnGroup): BurnGroup[] {
  const middle = Math.ceil(group.operations.length / 2);
  return [group.operations.slice(0, middle), group.operations.slice(middle)].map(createBurnGroup);
}

/** Whether a receipt belongs to a burn with this root. */
export function verifyReceipt(receipt: {
  settlementId: string;
  amount: bigint;
  proof: Hex[];
  root: Hex;
}): boolean {
  const leaf = [receipt.settlementId, receipt.amount.toString()];
  return StandardMerkleTree.verify(receipt.root, RECEIPT_LEAF_TYPES, leaf, receipt.proof);
}

function createBurnGroup(operations: BurnOperation[]): BurnGroup {
  const [first] = operations;
  if (!first) throw new Error("A group of burns cannot be empty.");
  const leaves = operations.map(({ settlementId, amount }) => [settlementId, amount.toString()]);
  const tree = StandardMerkleTree.of(leaves, RECEIPT_LEAF_TYPES);
  const proofs = proofsOf(tree);
  return {
    account: first.account,
    grant: first.grant,
    holder: first.holder,
    planId: first.planId,
    amount: operations.reduce((sum, { amount }) => sum + amount, 0n),
    count: operations.reduce((sum, { count }) => sum + count, 0n),
    root: tree.root as Hex,
    settlements: operations.map(({ settlementId, amount }, index) => ({
      settlementId,
      amount,
      proof: proofs[index] ?? [],
    })),
    operations,
  };
}

/** The siblings on each leaf's path to the root. The library's `getProof` also verifies each, which takes longer than building them. */
function proofsOf(tree: StandardMerkleTree<string[]>): Hex[][] {
  const { tree: nodes, values } = tree.dump();
  return values.map(({ treeIndex }) => {
    const proof: Hex[] = [];
    for (let index = treeIndex; index > 0; index = (index - 1) >> 1) {
      proof.push(nodes[index % 2 === 0 ? index - 1 : index + 1] as Hex);
    }
    return proof;
  });
}
