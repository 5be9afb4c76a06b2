import { Command, InvalidArgumentError } from "commander";
import { type Address, getAddress, type Hex, isAddress } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { createChainClient } from "../lib/adapters/chain/chain-client.ts";
import { checkRoles } from "../lib/adapters/chain/check-roles.ts";
import { deployContracts } from "../lib/adapters/chain/deploy.ts";
import { readDeployment, writeDeployment } from "../lib/adapters/chain/deployment.ts";
import { loadDotEnv, readEnv } from "../lib/server/env.ts";

const options = new Command("npm run chain:deploy --")
  .description(
    "Deploys the contracts to the chain of CHAIN_RPC_URL, paid by SETTLER_PRIVATE_KEY, and writes their addresses to DEPLOYMENTS_FILE. Existing contracts are kept.",
  )
  .option(
    "--admin <address>",
    "grants roles, sets the daily cap and resumes orders: a multisig or a timelock. Required in live; the settler otherwise",
    readAddress,
  )
  .option("--pauser <address>", "pauses orders; the administrator by default", readAddress)
  .option("--test-dollar", "also deploy a test dollar that anyone can mint", false)
  .parse()
  .opts<{ admin?: Address; pauser?: Address; testDollar: boolean }>();

loadDotEnv();
const { chain, environment } = readEnv(process.env);
if (!chain?.settlerPrivateKey) {
  fail("Set CHAIN_RPC_URL, CHAIN_ID and SETTLER_PRIVATE_KEY first.");
}
const { rpcUrl, chainId, deploymentsFile } = chain;
const settlerPrivateKey = `0x${chain.settlerPrivateKey.replace(/^0x/, "")}` as Hex;
const operator = privateKeyToAddress(settlerPrivateKey);
const { admin = operator, pauser = admin } = options;
if (environment === "live" && (admin === operator || pauser === operator)) {
  fail(
    `In live, name an administrator and a pauser that are not the settler ${operator}: --admin 0x… --pauser 0x….`,
  );
}
const client = createChainClient({ rpcUrl, chainId });
const actual = await client.getChainId();
if (actual !== chainId) fail(`${rpcUrl} is chain ${actual}, but CHAIN_ID is ${chainId}.`);
const known = readDeployment(deploymentsFile, chainId);
const startBlock = Number(await client.getBlockNumber());
const deployment = await deployContracts({
  rpcUrl,
  settlerPrivateKey,
  admin,
  pauser,
  sandbox: options.testDollar,
});
// Events are searched from here; contracts that are new were deployed after this block.
const block = known?.plans === deployment.plans ? (known.block ?? startBlock) : startBlock;
writeDeployment(deploymentsFile, { ...deployment, block });
console.log(JSON.stringify({ deploymentsFile, ...deployment, block }, null, 2));
const checks = await checkRoles({ client, deployment, operator });
for (const { text, isFine } of checks) console.error(`${isFine ? "ok   " : "CHECK"} ${text}`);
if (checks.some(({ isFine }) => !isFine)) process.exitCode = 2;

function readAddress(text: string): Address {
  if (isAddress(text, { strict: false })) return getAddress(text);
  throw new InvalidArgumentError("Expected an address: 0x and 40 hex digits.");
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
