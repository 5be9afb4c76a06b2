import { isAddress } from "@turnpike/payments/protocol";
import { Command } from "commander";
import { createApiKey } from "../lib/domain/accounts/api-keys.ts";
import { bootService } from "../lib/server/boot.ts";
import { loadDotEnv, readEnv } from "../lib/server/env.ts";
import { silentProgress } from "../lib/server/progress.ts";

const options = new Command("npm run account --")
  .description(
    "Creates an account for a wallet and prints its API key once. Uses the service's settings.",
  )
  .requiredOption("--owner <address>", "the wallet that owns the account")
  .option("--name <name>", "the key's name", "First key")
  .option("--operator", "allow the account to redeem plans of ONLY_GLOBAL_ROLE")
  .parse()
  .opts<{ owner: string; name: string; operator?: boolean }>();

if (!isAddress(options.owner)) {
  console.error(`${options.owner} is not an EVM address.`);
  process.exit(1);
}

loadDotEnv();
const { ports, close } = await bootService(readEnv(process.env), silentProgress, "tool");
try {
  const address = ports.addresses.addressOf(options.owner);
  const isOperator = options.operator ?? false;
  const createdAt = await ports.clock.now();
  await ports.accounts.ensure({
    address,
    owner: options.owner,
    ownerKey: null,
    isOperator,
    createdAt,
  });
  const caller = { account: address, keyId: null, isOperator };
  const context = { ports, caller, keyHash: null, requestId: "create-account" };
  const { apiKey, expiresAt } = await createApiKey(context, { name: options.name });
  console.log(JSON.stringify({ address, apiKey, expiresAt }, null, 2));
} finally {
  await close();
}
