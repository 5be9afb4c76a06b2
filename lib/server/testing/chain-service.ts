import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, getAddress, type Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { creditsAbi, tokenAbi } from "@/lib/adapters/chain/abis.ts";
import { deployContracts } from "@/lib/adapters/chain/deploy.ts";
import type { Deployment } from "@/lib/adapters/chain/deployment.ts";
import { pollUntil } from "@/lib/adapters/chain/poll.ts";
import { recordSettler } from "@/lib/adapters/db/chain/settlers.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import type { Log } from "@/lib/domain/ports.ts";
import { type EmbeddedChain, startEmbeddedChain } from "@/lib/sandbox/chain/embedded-chain.ts";
import { adminKeyOf } from "@/lib/sandbox/chain/sandbox-roles.ts";
import { createFaultLab } from "@/lib/sandbox/fault-lab.ts";
import { type Background, startBackground } from "../background.ts";
import { chainWork } from "../background-work.ts";
import {
  type ChainServices,
  createChainServices,
  type OrderLimits,
} from "../chain/chain-services.ts";
import {
  createTestService,
  type PartyOptions,
  type TestParty,
  type TestService,
} from "./test-service.ts";

/** The real service on a database and its own embedded chain, with its API as a function. */
export type ChainTestService = Omit<TestService, "party"> & {
  chain: EmbeddedChain;
  deployment: Deployment;
  onChain: ChainServices;
  adminPrivateKey: Hex;
  usdc: Address;
  /** What the service logs; silent. */
  log: Log;
  /** Credits an account holds on chain. */
  credits: (account: string, planId: string) => Promise<bigint>;
  money: (account: string) => Promise<bigint>;
  /** Moves the chain's clock, and mines a block by it. */
  advanceChain: (secs: number) => Promise<void>;
  /** Waits until every settlement that is mirrored is in a block. */
  untilMirrored: () => Promise<void>;
  /** A new service over the same data, as after a restart; with the first settler's key, or another. */
  restart: (settlerPrivateKey?: Hex) => Promise<void>;
  /** One more service beside this one, over the same data. Ends with it. */
  addReplica: () => TestService;
  party: (options?: FundedPartyOptions) => Promise<TestParty>;
  stop: () => Promise<void>;
};

/** Who is funded holds test dollars on chain. */
type FundedPartyOptions = PartyOptions & { isFunded?: boolean };

type Running = { onChain: ChainServices; work: Background };

async function stopWork({ onChain, work }: Running): Promise<void> {
  await work.stop();
  await onChain.bundler.stop();
}

/** Starts a {@link ChainTestService} in a temporary folder. */
export async function startChainTestService(
  database: Database,
  limits?: OrderLimits,
  /** The address of a node in front of the chain's. */
  through: (rpcUrl: string) => string = (rpcUrl) => rpcUrl,
  workOf = chainWork,
): Promise<ChainTestService> {
  const dataDir = mkdtempSync(join(tmpdir(), "turnpike-chain-service-"));
  const secretKey = randomBytes(32);
  const firstKey = `0x${randomBytes(32).toString("hex")}` as Hex;
  const chain = await startEmbeddedChain({ dataDir });
  const { rpcUrl, journal } = chain;
  const adminPrivateKey = adminKeyOf(secretKey);
  const deployment = await deployContracts({
    rpcUrl,
    settlerPrivateKey: firstKey,
    admin: privateKeyToAddress(adminPrivateKey),
    sandbox: true,
    journal,
  });
  const usdc = getAddress(deployment.usdc ?? "");

  const log: Log = { info: () => {}, warn: () => {}, error: () => {} };
  const open = (settlerPrivateKey = firstKey) => {
    const onChain = createChainServices({
      environment: "sandbox",
      database,
      chain: { rpcUrl: through(rpcUrl), deployment, settlerPrivateKey, adminPrivateKey, journal },
      secretKeys: [secretKey],
      log,
      ...(limits && { limits }),
      isCut: () => faults.isChainCut(),
    });
    const faults = createFaultLab({ pauseChain: onChain.pauseOrders });
    const service = createTestService(database, {
      rails: [onChain.rail, onChain.exactRail],
      exact: onChain.exact,
      ownerGrants: onChain.ownerGrants,
      salesStop: onChain.salesStop,
      faucet: onChain.faucet,
      moneyOut: { stablecoin: onChain.stablecoin, accountPayments: onChain.accountPayments },
      lab: faults,
      secretKey,
      deployment,
    });
    onChain.bundler.start();
    return { onChain, service, work: startBackground(workOf(onChain), log) };
  };
  await recordSettler(database, privateKeyToAddress(firstKey));
  let { onChain, service, work } = open();
  const replicas: Running[] = [];

  const read = (address: Address, args: [Address] | [Address, bigint]) =>
    args.length === 1
      ? onChain.operator.client.readContract({
          address,
          abi: tokenAbi,
          functionName: "balanceOf",
          args,
        })
      : onChain.operator.client.readContract({
          address,
          abi: creditsAbi,
          functionName: "balanceOf",
          args,
        });

  const onNode = (method: string, params: number[]) =>
    fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
  return {
    async advanceChain(secs) {
      await onNode("evm_increaseTime", [secs]);
      await onNode("evm_mine", []);
    },
    chain,
    deployment,
    adminPrivateKey,
    log,
    database,
    get ports() {
      return service.ports;
    },
    get reads() {
      return service.reads;
    },
    get pipeline() {
      return service.pipeline;
    },
    get lab() {
      return service.lab;
    },
    fetch: (...request) => service.fetch(...request),
    serve: (...request) => service.serve(...request),
    call: (...request) => service.call(...request),
    get onChain() {
      return onChain;
    },
    usdc,
    credits: (account, planId) => read(deployment.credits, [getAddress(account), BigInt(planId)]),
    money: (account) => read(usdc, [getAddress(account)]),
    async untilMirrored() {
      const isDone = await pollUntil(
        async () => {
          const rows = await database.query(
            "select 1 from settlements where chain_status in ('pending', 'submitted') limit 1",
            [],
          );
          return rows.length === 0 ? true : undefined;
        },
        { timeoutMs: 20_000 },
      );
      if (!isDone) throw new Error("Settlements are still on their way to the chain.");
    },
    async party({ isFunded = true, ...options }: FundedPartyOptions = {}) {
      const party = await service.party(options);
      if (isFunded) await onChain.fundAccount(party.address);
      return party;
    },
    async restart(settlerPrivateKey = firstKey) {
      await stopWork({ onChain, work });
      await recordSettler(database, privateKeyToAddress(settlerPrivateKey));
      ({ onChain, service, work } = open(settlerPrivateKey));
    },
    addReplica() {
      const replica = open();
      replicas.push(replica);
      return replica.service;
    },
    async stop() {
      await Promise.all([{ onChain, work }, ...replicas].map(stopWork));
      await chain.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
