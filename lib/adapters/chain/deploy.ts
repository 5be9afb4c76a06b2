import { type Address, concat, type Hex, keccak256, toFunctionSelector } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Journal } from "./bundler/journal.ts";
import { type ChainClient, createChainClient } from "./chain-client.ts";
import type { Deployment } from "./deployment.ts";
import {
  canonicalFramework,
  DETERMINISTIC_DEPLOYER,
  type DeploymentStep,
  hasCanonicalFramework,
  planDeployment,
  TEST_DOLLAR,
} from "./deployment-plan.ts";
import { pollUntil } from "./poll.ts";

/** What the settler and the administrator receive in the sandbox, in wei. */
const SANDBOX_FUNDS = 10_000n * 10n ** 18n;
const GAS_LIMIT = 8_000_000n;

export type DeployOptions = {
  rpcUrl: string;
  settlerPrivateKey: Hex;
  /** Administers the contracts; live must not give the settler here. */
  admin: Address;
  /** Pauses orders; the administrator when left out. */
  pauser?: Address;
  sandbox: boolean;
};

/** The first start of a sandbox deploys while a slow machine is still busy with its pages. */
const DEPLOY_TIMEOUT_MS = 60_000;

/** What `deployContracts` would deploy on this chain; sends nothing. */
export async function planContracts({
  rpcUrl,
  sandbox,
  settlerPrivateKey,
  admin,
  pauser = admin,
}: DeployOptions) {
  const chainId = await createChainClient({ rpcUrl, chainId: 0 }).getChainId();
  const client = createChainClient({ rpcUrl, chainId, timeoutMs: DEPLOY_TIMEOUT_MS });
  const settler = privateKeyToAccount(settlerPrivateKey);
  const plan = planDeployment({
    chainId,
    roles: { admin, pauser, operator: settler.address },
    sandbox,
    framework: !sandbox && (await standsCanonically(client, chainId)) ? "canonical" : "own",
    hasTestDollar: sandbox && (await isTestDollar(client)),
  });
  return { client, settler, plan };
}

/**
 * Deploys Turnpike's contracts and returns their addresses. What is already deployed is left alone, so a second call
 * returns the same addresses and sends nothing.
 *
 * In the sandbox both keys receive test money first, and a test dollar is deployed where the chain has none. Pass the embedded chain's journal
 * so that a crash does not lose the deployment.
 *
 * `only` names the contracts to deploy; all of them by default.
 *
 * @throws Error when the chain lacks the deterministic deployer, the key lacks money, or a creation fails.
 * @example const deployment = await deployContracts({ rpcUrl, settlerPrivateKey, admin, sandbox: true, journal });
 */
export async function deployContracts(
  options: DeployOptions & { journal?: Journal; only?: readonly string[] },
): Promise<Deployment> {
  const { sandbox, journal } = options;
  const { client, settler, plan } = await planContracts(options);
  const { admin = settler.address, chainId } = plan.deployment;
  const steps = plan.steps.filter(({ name }) => options.only?.includes(name) ?? true);
  const missing = await missingSteps(client, steps);
  if (missing.length === 0) return plan.deployment;

  if (!(await client.getCode({ address: DETERMINISTIC_DEPLOYER }))) {
    throw new Error(`Chain ${chainId} has no deterministic deployer at ${DETERMINISTIC_DEPLOYER}.`);
  }
  if (sandbox) await fundForSandbox(client, [settler.address, admin], journal);

  const [nonce, fees] = await Promise.all([
    client.getTransactionCount({ address: settler.address }),
    client.estimateFeesPerGas(),
  ]);
  const sent: { step: DeploymentStep; hash: Hex }[] = [];
  for (const [index, step] of missing.entries()) {
    const raw = await settler.signTransaction({
      type: "eip1559",
      chainId,
      nonce: nonce + index,
      to: DETERMINISTIC_DEPLOYER,
      data: concat([step.salt, step.initCode]),
      gas: GAS_LIMIT,
      maxFeePerGas: fees.maxFeePerGas,
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
    });
    journal?.transaction(raw);
    await client.sendRawTransaction({ serializedTransaction: raw });
    sent.push({ step, hash: keccak256(raw) });
  }
  for (const { step, hash } of sent) {
    const receipt = await pollUntil(
      () => client.getTransactionReceipt({ hash }).catch(() => undefined),
      { timeoutMs: 120_000 },
    );
    if (receipt?.status !== "success")
      throw new Error(`${step.name} could not be deployed (transaction ${hash}).`);
  }
  const stillMissing = await missingSteps(client, missing);
  if (stillMissing.length > 0) {
    throw new Error(
      `No code after deployment: ${stillMissing.map((step) => step.name).join(", ")}.`,
    );
  }
  return plan.deployment;
}

/** Whether the embedded chain's dollar is there: what a public chain has at that address has no faucet. */
async function isTestDollar(client: ChainClient): Promise<boolean> {
  const code = await client.getCode({ address: TEST_DOLLAR });
  return code?.includes(toFunctionSelector("faucet(address,uint256)").slice(2)) === true;
}

async function fundForSandbox(
  client: ChainClient,
  addresses: Address[],
  journal: Journal | undefined,
): Promise<void> {
  for (const address of addresses) {
    if ((await client.getBalance({ address })) > 0n) continue;
    journal?.fund(address, SANDBOX_FUNDS);
    await client.request({
      method: "anvil_setBalance",
      params: [address, `0x${SANDBOX_FUNDS.toString(16)}`],
    } as never);
  }
}

async function missingSteps(
  client: ChainClient,
  steps: DeploymentStep[],
): Promise<DeploymentStep[]> {
  const codes = await Promise.all(steps.map((step) => client.getCode({ address: step.address })));
  return steps.filter((_, index) => !codes[index]);
}

async function standsCanonically(client: ChainClient, chainId: number): Promise<boolean> {
  if (!hasCanonicalFramework(chainId)) return false;
  const codes = await Promise.all(
    Object.values(canonicalFramework(chainId)).map((address) => client.getCode({ address })),
  );
  return codes.every((code) => code !== undefined);
}
