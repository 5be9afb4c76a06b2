import { isAddress } from "@turnpike/payments/protocol";
import { Command } from "commander";
import { bootService } from "../lib/server/boot.ts";
import { readEnv } from "../lib/server/env.ts";
import { silentProgress } from "../lib/server/progress.ts";
import { loadDotEnv } from "../lib/server/settings/load-settings.ts";
import { createAccount } from "../lib/server/tools/create-account.ts";
import { failPlainly } from "./fail-plainly.ts";

const options = new Command("npm run account --")
  .description(
    "Creates an account for a wallet and prints its API key once. Uses the service's settings.",
  )
  .requiredOption("--owner <address>", "the wallet that owns the account")
  .option("--name <name>", "the key's name", "First key")
  .option(
    "--operator",
    "let the account redeem plans of ONLY_GLOBAL_ROLE, also if it exists; all its API keys can then",
  )
  .parse()
  .opts<{ owner: string; name: string; operator?: boolean }>();

if (!isAddress(options.owner)) {
  console.error(`${options.owner} is not an EVM address.`);
  process.exit(1);
}

failPlainly();
loadDotEnv();
const { owner, name, operator: isOperator = false } = options;
const { ports, close } = await bootService(readEnv(process.env), silentProgress, "tool");
try {
  const account = { owner, name, isOperator, requestId: "create-account" };
  const { address, apiKey, expiresAt, isPromoted } = await createAccount(ports, account);
  if (isPromoted) {
    console.error(
      `The account ${address} existed. All its API keys can now redeem plans of ONLY_GLOBAL_ROLE.`,
    );
  }
  console.log(JSON.stringify({ address, apiKey, expiresAt }, null, 2));
} finally {
  await close();
}
