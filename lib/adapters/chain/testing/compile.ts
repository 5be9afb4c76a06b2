/**
 * Builds `artifacts/*.json`: our contracts compiled with solc, and the pinned bytecode of the contracts others audited.
 * Run it after a change: `node --import ./scripts/typescript.mjs lib/adapters/chain/testing/compile.ts`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as delegationAbis from "@metamask/delegation-abis";
import * as delegationBytecode from "@metamask/delegation-abis/bytecode";
import { DELEGATOR_CONTRACTS } from "@metamask/delegation-deployments";
import solc from "solc";
import {
  artifactsFolder,
  COMPILER_SETTINGS,
  compilerSources,
  OWN_CONTRACTS,
  sourceHash,
} from "./contract-sources.ts";

const DELEGATION_VERSION = "1.3.0";
const require = createRequire(import.meta.url);

type CompilerOutput = {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<
    string,
    Record<string, { abi: unknown[]; evm: { bytecode: { object: string } } }>
  >;
};

function compileOwnContracts(): CompilerOutput {
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(
      Object.entries(compilerSources()).map(([path, content]) => [path, { content }]),
    ),
    settings: {
      ...COMPILER_SETTINGS,
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
  const errors = (output.errors ?? []).filter((error) => error.severity === "error");
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"));
  return output;
}

function write(name: string, artifact: object): void {
  mkdirSync(artifactsFolder, { recursive: true });
  writeFileSync(join(artifactsFolder, `${name}.json`), `${JSON.stringify(artifact)}\n`);
}

/** The framework's contracts that we use. */
function canonicalFramework(): Record<string, Record<string, string | undefined>> {
  const names = [
    "DelegationManager",
    "SimpleFactory",
    "HybridDeleGatorImpl",
    "EIP7702StatelessDeleGatorImpl",
  ];
  const chains = Object.entries(DELEGATOR_CONTRACTS[DELEGATION_VERSION] ?? {});
  return Object.fromEntries(
    chains
      .filter(([, contracts]) => names.every((name) => contracts[name] !== undefined))
      .map(([chainId, contracts]) => [
        chainId,
        Object.fromEntries(names.map((name) => [name, contracts[name]])),
      ]),
  );
}

/** Compiles everything and writes the artifacts. */
export function compileContracts(): void {
  const output = compileOwnContracts();
  const hash = sourceHash();
  for (const [name, path] of Object.entries(OWN_CONTRACTS)) {
    const contract = output.contracts[path]?.[name];
    if (!contract) throw new Error(`solc produced no contract ${name} from ${path}.`);
    write(name, {
      sourceHash: hash,
      abi: contract.abi,
      bytecode: `0x${contract.evm.bytecode.object}`,
    });
  }

  const source = `@metamask/delegation-abis ${DELEGATION_VERSION}`;
  write("DelegationManager", {
    source,
    abi: delegationAbis.DelegationManager,
    bytecode: delegationBytecode.DelegationManager,
  });
  write("HybridDeleGator", {
    source,
    abi: delegationAbis.HybridDeleGator,
    bytecode: delegationBytecode.HybridDeleGator,
  });
  write("EIP7702StatelessDeleGator", {
    source,
    abi: delegationAbis.EIP7702StatelessDeleGator,
    bytecode: delegationBytecode.EIP7702StatelessDeleGator,
  });
  write("SimpleFactory", {
    source,
    abi: delegationAbis.SimpleFactory,
    bytecode: delegationBytecode.SimpleFactory,
  });
  write("SCL_RIP7212", {
    source,
    abi: delegationAbis.SCL_RIP7212,
    bytecode: delegationBytecode.SCL_RIP7212,
  });
  write("ERC1967Proxy", {
    source,
    abi: delegationAbis.ERC1967Proxy,
    bytecode: delegationBytecode.ERC1967Proxy,
  });
  write("canonical-deployments", { source, chains: canonicalFramework() });

  const entryPoint = require("@account-abstraction/contracts/artifacts/EntryPoint.json") as {
    abi: unknown[];
    bytecode: string;
  };
  write("EntryPoint", {
    source: "@account-abstraction/contracts 0.7.0",
    abi: entryPoint.abi,
    bytecode: entryPoint.bytecode,
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  compileContracts();
  process.stdout.write(`Compiled into ${artifactsFolder}\n`);
}
