import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import type { Receipt } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { checkReceipt, rootOf } from "./verify-proof.ts";

const TYPES = ["string", "uint256"];
const PAYER = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const leaves = Array.from({ length: 7 }, (_, n): [string, string] => [
  `settlement-${n}`,
  `${n + 1}`,
]);
const tree = StandardMerkleTree.of(leaves, TYPES);
const BURN = { account: PAYER, planId: "42", root: tree.root, amount: "28", count: "7" };

function receiptOf(index: number, more: Partial<Receipt> = {}) {
  const leaf = leaves[index];
  if (!leaf) throw new Error("There is such a leaf.");
  const proof = {
    leafTypes: ["string", "uint256"] as ["string", "uint256"],
    leaf,
    siblings: tree.getProof(index),
    root: tree.root,
    userOperationHash: "0x",
  };
  const receipt: Receipt = {
    settlementId: leaf[0],
    settledAt: "2026-11-21T14:00:00.000Z",
    planId: "42",
    planName: "Starter",
    payer: PAYER.toLowerCase(),
    payee: PAYER,
    scheme: "svc:erc4337",
    network: "eip155:84532",
    creditsRedeemed: leaf[1],
    chainStatus: "final",
    transaction: "0x1",
    proof,
    ...more,
  };
  return { receipt, proof };
}

const faults = (comparisons: ReturnType<typeof checkReceipt>) =>
  comparisons.filter(({ holds }) => !holds).map(({ key }) => key);

describe("checking a receipt", () => {
  test("agrees with the library that built the tree, for every leaf", () => {
    for (const index of leaves.keys()) {
      const { receipt, proof } = receiptOf(index);
      expect(faults(checkReceipt(receipt, proof, [BURN]))).toEqual([]);
    }
  });

  test("a receipt alone in its burn is its own root", () => {
    const alone = StandardMerkleTree.of([["settlement-9", "3"]], TYPES);
    expect(rootOf(["settlement-9", "3"], [])).toBe(alone.root);
  });

  test("another amount, sibling, root, payer or plan does not pass", () => {
    const { receipt, proof } = receiptOf(3);
    const check = (more: Partial<Receipt>, wrong: Partial<typeof proof> = {}, burns = [BURN]) =>
      faults(checkReceipt({ ...receipt, ...more }, { ...proof, ...wrong }, burns));
    expect(check({ creditsRedeemed: "5" })).toContain("root");
    expect(check({ settlementId: "settlement-4" })).toContain("leaf");
    const [first = "", ...rest] = proof.siblings;
    expect(
      check({}, { siblings: [first.replace(/.$/, first.endsWith("0") ? "1" : "0"), ...rest] }),
    ).toContain("root");
    expect(check({}, { siblings: rest })).toContain("event");
    expect(check({}, { siblings: ["0x12"] })).toContain("root");
    expect(check({}, { root: `0x${"1".repeat(64)}` })).toEqual(["root"]);
    expect(check({ payer: "0x0000000000000000000000000000000000000001" })).toEqual(["payer"]);
    expect(check({ planId: "43" })).toEqual(["plan"]);
    expect(check({}, {}, [])).toEqual(["event", "payer", "plan"]);
  });

  test("a root that only the service knows, and no event, does not pass", () => {
    const forged = StandardMerkleTree.of([["settlement-3", "4000"]], TYPES);
    const { receipt, proof } = receiptOf(3, { creditsRedeemed: "4000" });
    const claimed = {
      ...proof,
      leaf: ["settlement-3", "4000"] as [string, string],
      siblings: [],
      root: forged.root,
    };
    expect(faults(checkReceipt(receipt, claimed, [BURN]))).toEqual(["event", "payer", "plan"]);
  });
});
