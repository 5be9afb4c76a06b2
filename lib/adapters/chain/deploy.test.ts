import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getDefaultAsset } from "@x402/evm";
import { domainSeparator, parseAbi } from "viem";
import { privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EmbeddedChain, startEmbeddedChain } from "@/lib/sandbox/chain/embedded-chain.ts";
import { createTransactionSender } from "./bundler/transaction-sender.ts";
import { createChainClient } from "./chain-client.ts";
import { checkRoles } from "./check-roles.ts";
import { deployContracts } from "./deploy.ts";
import { readDeployment, writeDeployment } from "./deployment.ts";
import { knownUsdc, planDeployment, TEST_DOLLAR } from "./deployment-plan.ts";
import { smartAccount, smartAccountCreation } from "./smart-account.ts";
import { testKey } from "./testing/chain-fixture.ts";

let folder: string;
let chain: EmbeddedChain;
const settlerPrivateKey = testKey("settler");
const settler = privateKeyToAccount(settlerPrivateKey);
const owner = privateKeyToAccount(testKey("owner")).address;
const admin = privateKeyToAddress(testKey("admin"));
const roles = { admin, pauser: admin, operator: settler.address };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-deploy-"));
  chain = await startEmbeddedChain({ dataDir: join(folder, "chain") });
});
afterAll(async () => {
  await chain.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("a deployment gets its planned addresses within a second, and a second call sends nothing", async () => {
  const { rpcUrl, journal } = chain;
  const terms = { rpcUrl, settlerPrivateKey, admin, sandbox: true };
  const plan = planDeployment({
    chainId: 84532,
    roles,
    sandbox: true,
    framework: "own",
    hasTestDollar: true,
  });
  const start = performance.now();
  const deployment = await deployContracts({ ...terms, journal });
  const elapsed = performance.now() - start;
  expect(deployment).toEqual(plan.deployment);
  expect(elapsed).toBeLessThan(3_000);
  console.info(`deployed ${plan.steps.length} contracts in ${elapsed.toFixed(0)} ms`);
  const client = createChainClient({ rpcUrl, chainId: 84532 });
  const { chainId, block: _, admin: __, pauser: ___, ...contracts } = deployment;
  expect(chainId).toBe(84532);
  for (const [name, address] of Object.entries(contracts)) {
    expect(await client.getCode({ address }), name).toBeDefined();
  }
  const block = await client.getBlockNumber();
  expect(await deployContracts({ ...terms, journal })).toEqual(deployment);
  expect(await client.getBlockNumber()).toBe(block);
});

test("the test dollar is where stock clients expect USDC, as its constructor would leave it; elsewhere one is deployed", async () => {
  const client = createChainClient({ rpcUrl: chain.rpcUrl, chainId: 84532 });
  const address = TEST_DOLLAR;
  const abi = parseAbi([
    "function name() view returns (string)",
    "function symbol() view returns (string)",
    "function version() view returns (string)",
    "function decimals() view returns (uint8)",
    "function DOMAIN_SEPARATOR() view returns (bytes32)",
    "function eip712Domain() view returns (bytes1, string, string, uint256, address, bytes32, uint256[])",
  ]);
  const read = (functionName: "name" | "symbol" | "version" | "decimals" | "DOMAIN_SEPARATOR") =>
    client.readContract({ address, abi, functionName });
  const domain = { name: "USDC", version: "2", chainId: 84532, verifyingContract: address };
  const described = client.readContract({ address, abi, functionName: "eip712Domain" });
  expect(await Promise.all([read("name"), read("symbol"), read("version")])).toEqual([
    "USDC",
    "USDC",
    "2",
  ]);
  expect(await read("decimals")).toBe(6);
  expect(await read("DOMAIN_SEPARATOR")).toBe(domainSeparator({ domain }));
  expect((await described).slice(1, 5)).toEqual(["USDC", "2", 84532n, address]);

  const plan = { chainId: 84532, roles, framework: "own" } as const;
  const [elsewhere] = planDeployment({ ...plan, sandbox: true }).steps.slice(-1);
  expect(elsewhere?.name).toBe("MockUSDC");
  expect(planDeployment({ ...plan, sandbox: true, hasTestDollar: true }).deployment.usdc).toBe(
    address,
  );
});

test("the settler holds neither the administrator's nor the pauser's role, and a check says who does", async () => {
  const { rpcUrl, journal } = chain;
  const client = createChainClient({ rpcUrl, chainId: 84532 });
  const deploy = { rpcUrl, settlerPrivateKey, journal };
  const split = await deployContracts({ ...deploy, admin, sandbox: true });
  const operator = settler.address;
  const checks = await checkRoles({ client, deployment: split, operator });
  expect(checks.filter(({ isFine }) => !isFine).map(({ text }) => text)).toEqual([
    "The administrator is a single key. Use a multisig or a timelock in live.",
  ]);
  const joined = await deployContracts({ ...deploy, admin: operator, sandbox: true });
  const [, , , own] = await checkRoles({ client, deployment: joined, operator });
  expect(own).toEqual({
    text: `The settler ${operator} does not administer and does not pause.`,
    isFine: false,
  });
});

test("EntryPoint is at its well-known address", () => {
  const { deployment } = planDeployment({
    chainId: 1,
    roles,
    sandbox: false,
    framework: "own",
  });
  expect(deployment.entryPoint).toBe("0x0000000071727De22E5E9d8BAf0edAc6f37da032");
});

test("a live deployment shares no contract of ours with the sandbox, and names Circle's USDC", async () => {
  const live = await deployContracts({
    rpcUrl: chain.rpcUrl,
    settlerPrivateKey,
    admin,
    sandbox: false,
    journal: chain.journal,
  });
  const { deployment: sandbox } = planDeployment({
    chainId: 84532,
    roles,
    sandbox: true,
    framework: "own",
  });
  expect(live.usdc).toBe(TEST_DOLLAR);
  const known = [1, 137, 8453, 42161, 84532].map((id) => [id, knownUsdc(id)]);
  expect(known).toEqual(
    [1, 137, 8453, 42161, 84532].map((id) => [id, getDefaultAsset(`eip155:${id}`).asset]),
  );
  expect(knownUsdc(10)).toBe("0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85");
  expect(knownUsdc(5)).toBeUndefined();
  for (const name of [
    "delegationManager",
    "smartAccountImplementation",
    "plans",
    "credits",
  ] as const) {
    expect(live[name]).not.toBe(sandbox[name]);
  }
});

test("the canonical delegation framework is used by address where it is deployed", () => {
  const { deployment, steps } = planDeployment({
    chainId: 8453,
    roles,
    sandbox: false,
    framework: "canonical",
  });
  expect(deployment.delegationManager).toBe("0xdb9B1e94B5b69Df7e401DDbedE43491141047dB3");
  expect(steps.map((step) => step.name)).toEqual([
    "EntryPoint",
    "Plans",
    "SessionLimitsEnforcer",
    "Captures",
    "PeriodLimitsEnforcer",
  ]);
  expect(() =>
    planDeployment({ chainId: 5, roles, sandbox: false, framework: "canonical" }),
  ).toThrow(/Chain 5 has no canonical/);
});

test("a smart account's address is known before the account exists", async () => {
  const { deployment } = planDeployment({
    chainId: 84532,
    roles,
    sandbox: true,
    framework: "own",
  });
  const client = createChainClient({ rpcUrl: chain.rpcUrl, chainId: 84532 });
  const account = smartAccount({ deployment, owner });
  expect(await client.getCode({ address: account.address })).toBeUndefined();
  const sender = createTransactionSender({ client, settler, journal: chain.journal });
  await sender.send({ ...smartAccountCreation({ deployment, account }), gas: 500_000n });
  const ownerOnChain = await client.readContract({
    address: account.address,
    abi: [
      {
        type: "function",
        name: "owner",
        stateMutability: "view",
        inputs: [],
        outputs: [{ type: "address" }],
      },
    ],
    functionName: "owner",
  });
  expect(ownerOnChain).toBe(owner);
  const salted = smartAccount({ deployment, owner, salt: `0x${"01".repeat(32)}` }).address;
  expect(salted).not.toBe(account.address);
});

test("a deployments file gives back what was written, per chain, and names what is wrong in it", () => {
  const path = join(folder, "files", "deployments.json");
  const plan = (chainId: number) =>
    planDeployment({ chainId, roles, sandbox: chainId === 84532, framework: "own" }).deployment;
  expect(readDeployment(path, 84532)).toBeUndefined();
  writeDeployment(path, plan(84532));
  writeDeployment(path, plan(10));
  expect(readDeployment(path, 84532)).toEqual(plan(84532));
  expect(readDeployment(path, 10)).toEqual(plan(10));
  writeFileSync(path, JSON.stringify({ "10": { ...plan(10), plans: "0x12" } }));
  expect(() => readDeployment(path, 10)).toThrow(
    /deployments\.json" cannot be used[\s\S]*must be an EVM address/,
  );
});
