import type { Receipt } from "@turnpike/payments/protocol";
import { concatHex, encodeAbiParameters, type Hex, isHex, keccak256 } from "viem";

/** One check: what was computed or claimed, and what it was compared with. */
export type Comparison = {
  key: "leaf" | "root" | "event" | "payer" | "plan";
  title: string;
  mine: string;
  theirs: string;
  holds: boolean;
};

/** A burn, from its event in the transaction. */
export type BurnEvent = {
  account: string;
  planId: string;
  root: string;
  amount: string;
  count: string;
};

type Proof = NonNullable<Receipt["proof"]>;

const WORD = 66;

/**
 * Verifies a receipt: hashes its leaf as OpenZeppelin's standard tree does, follows the siblings to a root,
 * and compares that root with the burn's event. Returns every check, also those that fail.
 */
export function checkReceipt(
  receipt: Receipt,
  proof: Proof,
  burns: readonly BurnEvent[],
): Comparison[] {
  const leaf = [receipt.settlementId, receipt.creditsRedeemed] as const;
  const root = rootOf(leaf, proof.siblings);
  const event = burns.find((burn) => same(burn.root, root));
  return [
    {
      key: "leaf",
      title: "The proof is for this receipt",
      mine: leaf.join(", "),
      theirs: proof.leaf.join(", "),
      holds: proof.leaf[0] === leaf[0] && proof.leaf[1] === leaf[1],
    },
    {
      key: "root",
      title: "The leaf and its siblings hash to the proof’s root",
      mine: root,
      theirs: proof.root,
      holds: same(root, proof.root),
    },
    {
      key: "event",
      title: "A burn in the transaction includes this root",
      mine: root,
      theirs: event?.root ?? (burns.map((burn) => burn.root).join(", ") || "No burn found"),
      holds: event !== undefined,
    },
    {
      key: "payer",
      title: "The payer’s credits were burned",
      mine: receipt.payer,
      theirs: event?.account ?? "No burn found",
      holds: event !== undefined && same(event.account, receipt.payer),
    },
    {
      key: "plan",
      title: "This plan’s credits were burned",
      mine: receipt.planId,
      theirs: event?.planId ?? "No burn found",
      holds: event?.planId === receipt.planId,
    },
  ];
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** The root of the tree that has the leaf, or a text for a malformed leaf or sibling. */
export function rootOf(leaf: readonly [string, string], siblings: readonly string[]): string {
  let node: Hex;
  try {
    const types = [{ type: "string" }, { type: "uint256" }] as const;
    // Hashed twice, so that no inner node can be passed off as a leaf.
    node = keccak256(keccak256(encodeAbiParameters(types, [leaf[0], BigInt(leaf[1])])));
  } catch {
    return "not a leaf";
  }
  for (const sibling of siblings) {
    if (!isHex(sibling) || sibling.length !== WORD) return "not a proof";
    const pair: Hex[] =
      node.toLowerCase() < sibling.toLowerCase() ? [node, sibling] : [sibling, node];
    node = keccak256(concatHex(pair));
  }
  return node;
}
