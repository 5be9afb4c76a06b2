import { Command } from "commander";
import type { Hex } from "viem";
import { createChainClient } from "../lib/adapters/chain/chain-client.ts";
import { deployContracts } from "../lib/adapters/chain/deploy.ts";
import { readDeployment, writeDeployment } from "../lib/adapters/chain/deployment.ts";
import { loadDotEnv, readEnv } from "../lib/server/env.ts";

const options = new Command("npm run chain:deploy --")
  .description(
    "Deploys the contracts to the chain of CHAIN_RPC_URL, paid by SETTLER_PRIVATE_KEY, and writes their addresses to DEPLOYMENTS_FILE. Existing contracts are kept.",
  )
  .option("--test-dollar", "also deploy a test dollar that anyone can mint", false)
  .parse()
  .opts<{ testDollar: boolean }>();

loadDotEnv();
const { chain } = readEnv(process.env);
if (!chain?.settlerPrivateKey) {
  console.error("Set CHAIN_RPC_URL, CHAIN_ID and SETTLER_PRIVATE_KEY first.");
  process.exit(1);
}
const { rpcUrl, chainId, deploymentsFile } = chain;
const client = createChainClient({ rpcUrl, chainId });
const actual = await client.getChainId();
if (actual !== chainId) {
  console.error(`${rpcUrl} is chain ${actual}, but CHAIN_ID is ${chainId}.`);
  process.exit(1);
}
const known = readDeployment(deploymentsFile, chainId);
const block = known?.block ?? Number(await client.getBlockNumber());
const deployment = await deployContracts({
  rpcUrl,
  settlerPrivateKey: `0x${chain.settlerPrivateKey.replace(/^0x/, "")}` as Hex,
  sandbox: options.testDollar,
});
writeDeployment(deploymentsFile, { ...deployment, block });
console.log(JSON.stringify({ deploymentsFile, ...deployment, block }, null, 2));
