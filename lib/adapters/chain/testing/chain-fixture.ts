import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Abi,
  type Address,
  encodeFunctionData,
  type Hex,
  keccak256,
  stringToHex,
  zeroAddress,
} from "viem";
import { privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { type EmbeddedChain, startEmbeddedChain } from "@/lib/sandbox/chain/embedded-chain.ts";
import { creditsAbi, plansAbi, tokenAbi } from "../abis.ts";
import { bundleGas, encodeHandleOps, readOutcomes } from "../bundler/handle-ops.ts";
import { createTransactionSender, type TransactionSender } from "../bundler/transaction-sender.ts";
import {
  type AccountCall,
  signUserOperation,
  userOperationHash,
} from "../bundler/user-operation.ts";
import { type ChainClient, createChainClient } from "../chain-client.ts";
import { deployContracts } from "../deploy.ts";
import type { Deployment } from "../deployment.ts";
import { buildGrant, type GrantTerms, type SignedGrant, signGrant } from "../grants/grant.ts";
import {
  authorizeSessionKey,
  nonceKeyOf,
  type SessionKey,
  sessionKeyFromPrivateKey,
} from "../grants/session-key.ts";
import { type CodeMemory, prepareAccounts, withoutCode } from "../prepare-accounts.ts";
import { type SmartAccount, smartAccount } from "../smart-account.ts";

/** A test key: always the same for the same name. */
export function testKey(name: string): Hex {
  return keccak256(stringToHex(`turnpike test key: ${name}`));
}

export type PlanTerms = {
  token: Address;
  amounts: bigint[];
  receivers: Address[];
  credits: bigint;
  minAmount: bigint;
  maxAmount: bigint;
  durationSecs: bigint;
  redemptionType: number;
  proofRequired: boolean;
  isCrypto: boolean;
  timeBased: boolean;
  oncePerAccount: boolean;
};

/** Terms of a free plan of a hundred credits, one to ten per call; tests override what they test. */
export const freePlan: PlanTerms = {
  token: zeroAddress,
  amounts: [],
  receivers: [],
  credits: 100n,
  minAmount: 1n,
  maxAmount: 10n,
  durationSecs: 0n,
  redemptionType: 4,
  proofRequired: false,
  isCrypto: true,
  timeBased: false,
  oncePerAccount: false,
};

/** Grant terms that allow everything on any plan. */
export const openTerms: GrantTerms = {
  plans: "any",
  permissions: ["order", "burn"],
  redemptionLimit: 1_000_000n,
  orderLimit: 0n,
  validUntil: 0,
};

/** A real embedded chain with every contract, and helpers for arranging a test. */
export type ChainFixture = {
  dataDir: string;
  chain: EmbeddedChain;
  client: ChainClient;
  deployment: Deployment;
  settlerKey: Hex;
  sender: TransactionSender;
  known: CodeMemory;
  usdc: Address;
  builder: Address;
  /** Administers the contracts; its daily cap is out of the way of tests that are not about it. */
  admin: Address;
  /** Sends a call to `Plans` as the administrator; throws when it reverts. */
  administer: (functionName: string, args?: unknown[]) => Promise<void>;
  /** Registers a plan for `builder` under the next free id. */
  registerPlan: (terms?: Partial<PlanTerms>, owner?: Address) => Promise<bigint>;
  /** A deployed account, owned by the key of that name. */
  createAccount: (name: string) => Promise<SmartAccount>;
  /** A grant to a new session key, by the account owned by the key of that name. */
  createGrant: (
    name: string,
    terms?: Partial<GrantTerms>,
    salt?: bigint,
  ) => Promise<{ account: SmartAccount; grant: SignedGrant; sessionKey: SessionKey }>;
  /** Sends calls under a grant as one user operation and returns "done" or the error's name. */
  act: (grant: SignedGrant, sessionKey: SessionKey, calls: AccountCall[]) => Promise<string>;
  /** Sends a contract call as the settler; throws when it reverts. */
  write: (
    address: Address,
    abi: Abi,
    functionName: string,
    args: unknown[],
    value?: bigint,
  ) => Promise<void>;
  credits: (account: Address, planId: bigint) => Promise<bigint>;
  money: (account: Address) => Promise<bigint>;
  mint: (planId: bigint, account: Address, amount: bigint) => Promise<void>;
  stop: () => Promise<void>;
};

/** Starts a {@link ChainFixture} in a temporary folder. */
export async function startChainFixture(): Promise<ChainFixture> {
  const dataDir = mkdtempSync(join(tmpdir(), "turnpike-chain-"));
  const chain = await startEmbeddedChain({ dataDir });
  const settlerKey = testKey("settler");
  const adminKey = testKey("admin");
  const admin = privateKeyToAddress(adminKey);
  const deployment = await deployContracts({
    rpcUrl: chain.rpcUrl,
    settlerPrivateKey: settlerKey,
    admin,
    sandbox: true,
    journal: chain.journal,
  });
  const client = createChainClient({ rpcUrl: chain.rpcUrl, chainId: chain.chainId });
  const senderOf = (key: Hex) =>
    createTransactionSender({
      client,
      settler: privateKeyToAccount(key),
      journal: chain.journal,
    });
  const sender = senderOf(settlerKey);
  const adminSender = senderOf(adminKey);
  const known: CodeMemory = new Set();
  const builder = privateKeyToAccount(testKey("builder")).address;
  let nextPlan = 1n;
  let nextSalt = 1n;
  let nextAct = 1;

  const writeAs =
    (from: TransactionSender): ChainFixture["write"] =>
    async (address, abi, functionName, args, value) => {
      const data = encodeFunctionData({ abi, functionName, args });
      const call = { to: address, data, ...(value ? { value } : {}) };
      const receipt = await from.send({ ...call, gas: 1_500_000n });
      if (receipt.status === "success") return;
      await client.call({ account: from.address, ...call });
      throw new Error(`${functionName} reverted.`);
    };
  const write = writeAs(sender);
  const administer: ChainFixture["administer"] = (functionName, args = []) =>
    writeAs(adminSender)(deployment.plans, plansAbi, functionName, args);
  await administer("setDailyCap", [1_000_000n, 1_000_000n]);
  const createAccount = async (name: string) => {
    const account = smartAccount({ deployment, owner: privateKeyToAccount(testKey(name)).address });
    await prepareAccounts({ client, deployment, sender, accounts: [account], known });
    return account;
  };

  return {
    dataDir,
    chain,
    client,
    deployment,
    settlerKey,
    sender,
    known,
    usdc: deployment.usdc ?? zeroAddress,
    builder,
    admin,
    write,
    administer,
    createAccount,
    registerPlan: async (terms = {}, owner = builder) => {
      const planId = nextPlan++;
      await write(deployment.plans, plansAbi, "registerPlanFor", [
        planId,
        owner,
        { ...freePlan, ...terms },
      ]);
      return planId;
    },
    createGrant: async (name, terms = {}, salt = nextSalt++) => {
      const account = await createAccount(name);
      const sessionKey = sessionKeyFromPrivateKey(testKey(`session ${name} ${salt}`));
      const unsigned = buildGrant({
        deployment,
        account: account.address,
        sessionKey: sessionKey.address,
        terms: { orderToken: deployment.usdc, ...openTerms, ...terms },
        salt,
      });
      const grant = await signGrant({ deployment, grant: unsigned, privateKey: testKey(name) });
      return { account, grant, sessionKey };
    },
    act: async (grant, sessionKey, calls) => {
      const callGas = 900_000n;
      const nonceKey = nonceKeyOf(stringToHex(`act ${nextAct++}`));
      const operation = await signUserOperation({
        deployment,
        grant,
        sessionKey,
        calls,
        nonceKey,
        callGas,
      });
      const fresh = await withoutCode({ client, addresses: [sessionKey.address], known });
      const authorizations =
        fresh.length > 0 ? [await authorizeSessionKey({ deployment, sessionKey })] : [];
      const receipt = await sender.send({
        to: deployment.entryPoint,
        data: encodeHandleOps([operation], sender.address),
        gas: bundleGas([{ callGas }], authorizations.length),
        authorizations,
      });
      if (receipt.status !== "success") return "bundle reverted";
      const outcome = readOutcomes(deployment, receipt.logs).get(
        userOperationHash(deployment, operation),
      );
      if (!outcome) return "no outcome";
      return outcome.success ? "done" : outcome.reason.name;
    },
    credits: (account, planId) =>
      client.readContract({
        address: deployment.credits,
        abi: creditsAbi,
        functionName: "balanceOf",
        args: [account, planId],
      }),
    money: (account) =>
      client.readContract({
        address: deployment.usdc ?? zeroAddress,
        abi: tokenAbi,
        functionName: "balanceOf",
        args: [account],
      }),
    mint: (planId, account, amount) =>
      write(deployment.plans, plansAbi, "mintFor", [
        planId,
        account,
        amount,
        keccak256(stringToHex(`mint ${nextAct++}`)),
      ]),
    stop: async () => {
      await chain.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
