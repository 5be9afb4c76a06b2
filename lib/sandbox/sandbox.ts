import "server-only";
import { join } from "node:path";
import {
  getCryptoPriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import type { Hex } from "viem";
import { deriveKey } from "@/lib/adapters/crypto/sealing.ts";
import { addressOfKey } from "@/lib/adapters/crypto/signatures.ts";
import { createApiKey } from "@/lib/domain/accounts/api-keys.ts";
import { giveTestMoney, testCustomerOf } from "@/lib/domain/accounts/test-customer.ts";
import { actingFor, type Context } from "@/lib/domain/context.ts";
import { registerAgent, updateAgent } from "@/lib/domain/plans/agents.ts";
import { registerCreditsPlan } from "@/lib/domain/plans/plans.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { FOREIGN_PATHS } from "@/lib/playground/lab-places.ts";
import type { Booted } from "@/lib/server/boot.ts";
import { DEMO_AGENT_PATH, PACK_PATH, PRICED_PATH } from "./demo-agent.ts";
import { sandbox } from "./operations.ts";
import { findSandboxFile, type SandboxFile } from "./sandbox-file.ts";
import { seedLab } from "./sandbox-lab.ts";

type Party = SandboxFile["subscriber"];
type Builder = SandboxFile["builder"];

/**
 * Seeds the sandbox: a builder with three plans and an agent, a subscriber, and the failure lab. Idempotent: a second
 * start finds what the first one created.
 */
export async function seedSandbox(booted: Booted): Promise<SandboxFile> {
  const { ports, env, chain, secretKey } = booted;
  const before = await findSandboxFile(sandboxFilePath(env.dataDir)).catch(() => undefined);
  const builder = await demoBuilder(booted, "builder", before?.builder);
  const subscriber = await demoParty(ports, secretKey, "subscriber", before?.subscriber);
  await giveTestMoney(ports, subscriber.address);
  const visitor = await demoVisitor(ports, builder.address, before?.visitor);
  const context = contextOf(ports, builder.address);
  const plans = await demoPlans(context, chain.deployment.usdc ?? "");
  const url = `http://localhost:${env.agentPort}${DEMO_AGENT_PATH}`;
  const agentId = await demoAgent(context, Object.values(plans), url);
  const labBuilder = await demoBuilder(booted, "lab", before?.lab?.builder);
  const labContext = contextOf(ports, labBuilder.address);
  const lab = await seedLab({
    context: labContext,
    builder: labBuilder,
    agentPort: env.agentPort,
    usdc: chain.deployment.usdc ?? "",
  });
  const { entryPoint, plans: plansContract, credits, usdc } = chain.deployment;
  return {
    url: env.origin,
    environment: "sandbox",
    builder,
    subscriber,
    visitor,
    plans,
    agent: {
      agentId,
      url,
      exactUrl: new URL(PRICED_PATH, url).href,
      packUrl: new URL(PACK_PATH, url).href,
    },
    foreign: {
      honoUrl: new URL(FOREIGN_PATHS.hono, url).href,
      expressUrl: new URL(FOREIGN_PATHS.express, url).href,
    },
    wallet: await demoWallet(ports, secretKey),
    lab,
    ...(!env.smtp && {
      mailbox: { url: new URL(`/api/v1${sandbox.listMails.path}`, env.origin).href },
    }),
    chain: {
      rpcUrl: chain.rpcUrl ?? "",
      chainId: chain.deployment.chainId,
      contracts: { entryPoint, plans: plansContract, credits, ...(usdc && { usdc }) },
    },
  };
}

/** The key of the stock facilitator, with coin for the gas of its settlements. */
export async function stockFacilitatorKey({ ports, secretKey }: Booted): Promise<Hex> {
  const key = deriveKey(secretKey, "demo/stock-facilitator");
  await ports.faucet?.fund(addressOfKey(key), { usdc: false, native: true });
  return `0x${Buffer.from(key).toString("hex")}`;
}

export const sandboxFilePath = (dataDir: string): string => join(dataDir, "sandbox.json");

/** An account whose owner key is derived from the sandbox's secret, so that it is the same at every start. */
async function demoParty(
  ports: Ports,
  secretKey: Uint8Array,
  role: "builder" | "subscriber" | "lab",
  before: Party | undefined,
): Promise<Party> {
  const ownerKey = deriveKey(secretKey, `demo/${role}`);
  const owner = addressOfKey(ownerKey);
  const address = ports.addresses.addressOf(owner);
  await ports.accounts.ensure({
    address,
    owner,
    ownerKey: ports.crypto.seal(`0x${Buffer.from(ownerKey).toString("hex")}`, {
      purpose: "account-owner",
      row: owner,
    }),
    isOperator: false,
    createdAt: await ports.clock.now(),
  });
  const apiKey = await keyOf(ports, address, before?.apiKey, { name: `Demo ${role}` });
  return { address, apiKey };
}

/** A wallet that no account owns, to try payments by `exact` with. */
async function demoWallet(ports: Ports, secretKey: Uint8Array) {
  const key = deriveKey(secretKey, "demo/wallet");
  const address = addressOfKey(key);
  await ports.faucet?.fund(address, { usdc: true, native: false });
  return { address, privateKey: `0x${Buffer.from(key).toString("hex")}` };
}

/** Who pays for the run on the landing page: the builder's test customer, so that no figure counts it. */
async function demoVisitor(
  ports: Ports,
  builder: string,
  before: Party | undefined,
): Promise<Party> {
  const { address } = await testCustomerOf(ports, builder);
  return { address, apiKey: await keyOf(ports, address, before?.apiKey, { name: "Demo visitor" }) };
}

/** What each builder's agents need of their key: the lab's also change a price. */
const GATE_RIGHTS = {
  builder: { preset: "gate" },
  lab: { scopes: { calls: "write", plans: "write" } },
} as const;

/** A party with a second key, for its agents. */
async function demoBuilder(
  { ports, secretKey }: Booted,
  role: "builder" | "lab",
  before: Builder | undefined,
): Promise<Builder> {
  const party = await demoParty(ports, secretKey, role, before);
  const gateKey = await keyOf(ports, party.address, before?.gateKey, {
    name: `Demo ${role}, agents`,
    ...GATE_RIGHTS[role],
  });
  return { ...party, gateKey };
}

/** The key of an earlier start while it is usable, or a new one. */
async function keyOf(
  ports: Ports,
  account: string,
  before: string | undefined,
  input: Parameters<typeof createApiKey>[1],
): Promise<string> {
  if (before && (await isUsable(ports, before, account))) return before;
  return (await createApiKey(contextOf(ports, account), input)).apiKey;
}

async function isUsable(ports: Ports, apiKey: string, account: string): Promise<boolean> {
  const key = await ports.apiKeys.find(ports.crypto.digest(apiKey));
  return key?.account === account && key.isActive;
}

async function demoPlans(context: Context, usdc: string): Promise<SandboxFile["plans"]> {
  const receiver = context.caller?.account ?? "";
  const register = (
    nonce: bigint,
    name: string,
    description: string,
    terms: Pick<Parameters<typeof registerCreditsPlan>[1], "priceConfig" | "creditsConfig"> & {
      isTrialPlan?: boolean;
    },
  ) =>
    registerCreditsPlan(context, {
      metadataAttributes: { name, description, author: "Turnpike demo", tags: ["demo"] },
      accessLimit: "credits",
      nonce,
      ...terms,
    });
  const crypto = await register(1n, "Starter", "100 calls, paid in test USDC on chain.", {
    priceConfig: { ...getCryptoPriceConfig(1_000_000n, receiver, usdc), currency: "USDC" },
    creditsConfig: getFixedCreditsConfig(100n, 1n),
  });
  const card = await register(2n, "Starter by card", "100 calls, paid with a test card.", {
    priceConfig: getFiatPriceConfig(5_000_000n, receiver, "USD"),
    creditsConfig: getFixedCreditsConfig(100n, 1n),
  });
  const trial = await register(3n, "Free trial", "1,000 calls to try it, once per account.", {
    priceConfig: getFreePriceConfig(),
    creditsConfig: getFixedCreditsConfig(1000n, 1n),
    isTrialPlan: true,
  });
  return { crypto: crypto.planId, card: card.planId, trial: trial.planId };
}

async function demoAgent(context: Context, plans: string[], url: string): Promise<string> {
  const terms = {
    metadataAttributes: {
      name: "Reader",
      description: "A demo agent that counts the words you send.",
      author: "Turnpike demo",
      tags: ["demo"],
    },
    agentApiAttributes: {
      endpoints: [url, ...[PRICED_PATH, PACK_PATH].map((path) => new URL(path, url).href)].map(
        (url) => ({ verb: "POST" as const, url }),
      ),
      openEndpoints: [new URL("/", url).href],
      agentDefinitionUrl: new URL("/openapi.json", url).href,
      authType: "NONE" as const,
    },
  };
  const { agentId } = await registerAgent(context, { ...terms, plans, nonce: 1n });
  // The port may have changed since the last start.
  await updateAgent(context, { agentId, agentApiAttributes: terms.agentApiAttributes });
  return agentId;
}

const contextOf = (ports: Ports, account: string) => actingFor(ports, account, "sandbox-start");
