import { Command, InvalidArgumentError } from "commander";
import { type Address, getAddress, type Hex, isAddress } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { createChainClient } from "../lib/adapters/chain/chain-client.ts";
import { checkRoles } from "../lib/adapters/chain/check-roles.ts";
import { deployOnce } from "../lib/server/chain/deploy-once.ts";
import { readEnv } from "../lib/server/env.ts";
import { loadDotEnv } from "../lib/server/settings/load-settings.ts";
import { failPlainly } from "./fail-plainly.ts";

const options = new Command("npm run chain:deploy --")
  .description(
    "Deploys the contracts to the chain of CHAIN_RPC_URL, paid by SETTLER_PRIVATE_KEY, and writes their addresses to DEPLOYMENTS_FILE. Contracts that the file names are never replaced; those of a later release are added.",
  )
  .option(
    "--admin <address>",
    "grants roles, sets the daily cap and resumes orders: a multisig or a timelock. Required in live; the settler otherwise",
    readAddress,
  )
  .option("--pauser <address>", "pauses orders; the administrator by default", readAddress)
  .option("--new", "deploy other contracts than the file names; the database must be empty", false)
  .option("--test-dollar", "also deploy a test dollar that anyone can mint", false)
  .parse()
  .opts<{ admin?: Address; pauser?: Address; new: boolean; testDollar: boolean }>();

failPlainly();
loadDotEnv();
// Nothing else has a part in it: a live deployment may still lack the rest, or have live keys of the card processor.
const SETTINGS = [
  "CHAIN_RPC_URL",
  "CHAIN_ID",
  "SETTLER_PRIVATE_KEY",
  "DEPLOYMENTS_FILE",
  "TURNPIKE_DATA_DIR",
  "DATABASE_URL",
];
const { chain, databaseUrl } = readEnv(
  Object.fromEntries(SETTINGS.map((name) => [name, process.env[name]])),
);
const isLive = process.env.TURNPIKE_ENVIRONMENT === "live";
if (!chain?.settlerPrivateKey) {
  fail("Set CHAIN_RPC_URL, CHAIN_ID and SETTLER_PRIVATE_KEY first.");
}
const settlerPrivateKey = `0x${chain.settlerPrivateKey.replace(/^0x/, "")}` as Hex;
const operator = privateKeyToAddress(settlerPrivateKey);
const { admin = operator, pauser = admin } = options;
if (isLive && (admin === operator || pauser === operator)) {
  fail(
    `In live, name an administrator and a pauser that are not the settler ${operator}: --admin 0x… --pauser 0x….`,
  );
}
const { deployment, isKept } = await deployOnce({
  ...chain,
  databaseUrl,
  settlerPrivateKey,
  admin,
  pauser,
  sandbox: options.testDollar,
  isNew: options.new,
});
const { deploymentsFile, rpcUrl, chainId } = chain;
console.log(JSON.stringify({ deploymentsFile, ...deployment }, null, 2));
if (isKept)
  console.error(
    "kept  These contracts were deployed before. Nothing was sent, and their roles stay as they are.",
  );
const client = createChainClient({ rpcUrl, chainId });
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
