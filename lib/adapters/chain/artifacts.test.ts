import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Abi, type AbiItem, toFunctionSignature } from "viem";
import { expect, test } from "vitest";
import * as abis from "./abis.ts";
import { artifactsFolder, OWN_CONTRACTS, sourceHash } from "./testing/contract-sources.ts";

type Artifact = { abi: Abi; bytecode: string; sourceHash?: string };
const read = (name: string) =>
  JSON.parse(readFileSync(join(artifactsFolder, `${name}.json`), "utf8")) as Artifact;

test.each(Object.keys(OWN_CONTRACTS))(
  "the artefact of %s was built from the sources beside it",
  (name) => {
    expect(
      read(name).sourceHash,
      "run: node --import ./scripts/typescript.mjs lib/adapters/chain/testing/compile.ts",
    ).toBe(sourceHash());
    expect(read(name).bytecode).toMatch(/^0x[0-9a-f]{200,}$/);
  },
);

test.each([
  ["Credits", abis.creditsAbi],
  ["Plans", abis.plansAbi],
  ["SessionLimitsEnforcer", abis.enforcerAbi],
  ["PeriodLimitsEnforcer", abis.periodLimitsAbi],
  ["DelegationManager", abis.delegationManagerAbi],
  ["HybridDeleGator", abis.smartAccountAbi],
  ["SimpleFactory", abis.factoryAbi],
  ["EntryPoint", abis.entryPointAbi],
  ["MockUSDC", abis.tokenAbi],
  ["MockUSDC", abis.authorizationAbi],
  ["Captures", abis.capturesAbi],
] as [string, readonly AbiItem[]][])("every item we use of %s is in its artefact", (name, used) => {
  const signature = (item: AbiItem) => {
    if (!("name" in item) || !("inputs" in item)) return item.type;
    const { name, inputs } = item;
    const indexed = inputs
      .map((input) => ("indexed" in input && input.indexed ? "i" : "-"))
      .join("");
    const asFunction = {
      type: "function",
      name,
      inputs,
      outputs: [],
      stateMutability: "view",
    } as const;
    return `${item.type} ${toFunctionSignature(asFunction)} ${indexed}`;
  };
  const known = new Set(read(name).abi.map(signature));
  expect(used.map(signature).filter((item) => !known.has(item))).toEqual([]);
});
