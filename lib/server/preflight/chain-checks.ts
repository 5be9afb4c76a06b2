import "server-only";
import { type Address, encodeFunctionData, type Hex, toHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { entryPointAbi } from "@/lib/adapters/chain/abis.ts";
import { BLOCKS } from "@/lib/adapters/chain/block-ranges.ts";
import { MAX_TRANSACTION_GAS } from "@/lib/adapters/chain/bundler/handle-ops.ts";
import { simulateCall } from "@/lib/adapters/chain/bundler/simulate-bundle.ts";
import { type ChainClient, createChainClient } from "@/lib/adapters/chain/chain-client.ts";
import { checkRoles, findMissingRole } from "@/lib/adapters/chain/check-roles.ts";
import { type Deployment, readDeployment } from "@/lib/adapters/chain/deployment.ts";
import { delegatedCode } from "@/lib/adapters/chain/grants/session-key.ts";
import { ENOUGH_ORDERS, readSettlerGas } from "@/lib/adapters/chain/settler-gas.ts";
import type { Env } from "../env.ts";
import { type Check, check, Fault, reasonOf } from "./check.ts";

const OLDEST_BLOCK_MS = 600_000;
const CONTRACTS = [
  "entryPoint",
  "delegationManager",
  "smartAccountFactory",
  "plans",
  "credits",
] as const;

/** Contracts that files of earlier releases do not name, and what is missing without them. */
const LATER = [
  ["captures", "no exact payments are accepted"],
  ["periodLimits", "budgets by the day, week and month are not enforced on chain"],
] as const;
const DEPLOY_AGAIN =
  "Run npm run chain:deploy again: it adds what is missing and replaces nothing.";

type Chain = NonNullable<Env["chain"]>;

type Parts = {
  client: ChainClient;
  chainId: number;
  operator: Address;
  /** Throws where the file names none. */
  contracts: () => Deployment;
};

/** The chain, its contracts, and what the settler's key may do and pay. */
export function chainChecks(
  { rpcUrl, chainId, deploymentsFile, settlerPrivateKey }: Chain,
  about: { network: string; now: () => Date },
): Check[] {
  const client = createChainClient({ rpcUrl, chainId, timeoutMs: 5_000 });
  const operator = privateKeyToAddress(`0x${settlerPrivateKey.replace(/^0x/, "")}` as Hex);
  const contracts = (): Deployment => {
    const found = readDeployment(deploymentsFile, chainId);
    if (found) return found;
    throw new Fault(
      `${deploymentsFile} names no contracts for chain ${chainId}.`,
      "Deploy them with npm run chain:deploy, or set DEPLOYMENTS_FILE to the file it wrote.",
    );
  };
  const parts = { client, chainId, operator, contracts };
  return [
    ...nodeChecks(parts, about),
    ...contractChecks(parts),
    ...methodChecks(parts),
    ...settlerChecks(parts),
  ];
}

function nodeChecks(
  { client, chainId }: Parts,
  { network, now }: { network: string; now: () => Date },
): Check[] {
  return [
    check("chain", async () => {
      const actual = await client.getChainId().catch((cause) => {
        throw new Fault(
          `CHAIN_RPC_URL does not answer: ${reasonOf(cause)}.`,
          "Check the address and its key with your node provider.",
        );
      });
      if (actual !== chainId) {
        throw new Fault(
          `CHAIN_RPC_URL is chain ${actual}, and CHAIN_ID is ${chainId}.`,
          "Correct one of them.",
        );
      }
      if (network !== `eip155:${chainId}`) {
        throw new Fault(
          `Live payments are named ${network}, and CHAIN_ID is ${chainId}.`,
          `Use the chain ${network.split(":")[1]}: wallets sign for the chain that an offer names.`,
        );
      }
      return `id ${actual}`;
    }),
    check("chain time", async () => {
      const { timestamp, number } = await client.getBlock();
      const age = now().getTime() - Number(timestamp) * 1000;
      if (Math.abs(age) <= OLDEST_BLOCK_MS)
        return `block ${number} is ${Math.round(age / 1000)} s old`;
      throw new Fault(
        `The latest block, ${number}, is ${Math.round(age / 60_000)} minutes from this machine's clock.`,
        "Use a node that is in sync, and run an NTP client on this machine.",
      );
    }),
  ];
}

function contractChecks({ client, chainId, contracts }: Parts): Check[] {
  const requireCode = async (name: string, address: Address) => {
    if (await client.getCode({ address })) return;
    throw new Fault(
      `There is no code at ${name}, ${address}, on chain ${chainId}.`,
      "Check that CHAIN_RPC_URL and DEPLOYMENTS_FILE belong to the same chain.",
    );
  };
  return [
    check("contracts", async () => {
      const deployment = contracts();
      for (const name of CONTRACTS) await requireCode(name, deployment[name]);
      return `Plans at ${deployment.plans}`;
    }),
    check("later contracts", async () => {
      const deployment = contracts();
      for (const [name, use] of LATER) {
        const address = deployment[name];
        if (address) await requireCode(name, address);
        else throw new Fault(`The deployments file names no ${name}: ${use}.`, DEPLOY_AGAIN);
      }
      return LATER.map(([name]) => name).join(", ");
    }),
    check("stablecoin", async () => {
      const { usdc } = contracts();
      if (!usdc) return "none; prices are in other tokens";
      await requireCode("usdc", usdc);
      return usdc;
    }),
  ];
}

/** What the service asks of a node that not every node offers: the comparison reads events, the bundler simulates. */
function methodChecks({ client, operator, contracts }: Parts): Check[] {
  return [
    check("chain events", async () => {
      const { plans, credits, block } = contracts();
      const address = [plans, credits];
      const latest = await client.getBlockNumber();
      // The oldest, which a first comparison reads, and the latest.
      const oldest = BigInt(block ?? 0);
      const newest = latest - BLOCKS + 1n;
      for (const fromBlock of [oldest, newest > oldest ? newest : oldest]) {
        const last = fromBlock + BLOCKS - 1n;
        const toBlock = last < latest ? last : latest;
        await client.getLogs({ address, fromBlock, toBlock }).catch((cause) => {
          throw new Fault(
            `CHAIN_RPC_URL does not answer eth_getLogs from block ${fromBlock} to ${toBlock}: ${reasonOf(cause)}.`,
            `Use a node that answers eth_getLogs for ${BLOCKS} blocks at once, back to the deployment of the contracts.`,
          );
        });
      }
      return `${BLOCKS} blocks at once`;
    }),
    check("chain simulation", async () => {
      const deployment = contracts();
      const { entryPoint: to } = deployment;
      const args = [operator, 0n] as const;
      const data = encodeFunctionData({ abi: entryPointAbi, functionName: "getNonce", args });
      const call = { from: operator, to, data, gas: toHex(MAX_TRANSACTION_GAS) };
      // As the bundler does for session keys that have no code yet.
      const stateOverrides = { [deployment.plans]: { code: delegatedCode(deployment) } };
      const { status } = await simulateCall(client, call, { stateOverrides }).catch((cause) => {
        throw new Fault(
          `CHAIN_RPC_URL does not answer eth_simulateV1: ${reasonOf(cause)}.`,
          "Use a node that offers eth_simulateV1: without it no used credits are burned on chain, and no exact payments are accepted.",
        );
      });
      if (status === "0x1") return "eth_simulateV1";
      throw new Fault(
        `A call of the contracts fails in eth_simulateV1 with ${MAX_TRANSACTION_GAS} gas.`,
        "Use a node that simulates a whole bundle in eth_simulateV1.",
      );
    }),
  ];
}

function settlerChecks({ client, operator, contracts }: Parts): Check[] {
  return [
    check("roles", async () => {
      const deployment = contracts();
      const missing = await findMissingRole(client, deployment.plans, operator);
      if (missing) {
        throw new Fault(
          `The settler ${operator} does not hold ${missing}.`,
          "Set SETTLER_PRIVATE_KEY to the key the contracts were deployed with, or have the administrator grant the role.",
        );
      }
      const checks = await checkRoles({ client, deployment, operator });
      // A single administrator key is a person's choice; the others are not.
      const failed = checks.find(({ isFine, isAdvice }) => !isFine && !isAdvice);
      if (!failed) return "the settler can neither administer nor pause";
      throw new Fault(
        `Not so on chain: ${failed.text}`,
        "Have the administrator correct the roles (docs/operations.md, Keys of the contracts).",
      );
    }),
    check("gas", async () => {
      const { balance, orders, needed } = await readSettlerGas(client, operator);
      if (orders >= ENOUGH_ORDERS) return `${balance} for gas`;
      throw new Fault(
        `The settler ${operator} holds ${balance}, and ${ENOUGH_ORDERS} orders take ${needed}.`,
        "Send it the chain's own coin.",
      );
    }),
  ];
}
