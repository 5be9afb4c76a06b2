import type { Address } from "viem";
import type { ChainClient } from "./chain-client.ts";
import type { Operator } from "./operator.ts";
import { type SmartAccount, smartAccountCreation } from "./smart-account.ts";
import { hasCode } from "./sound-node.ts";

const CREATION_GAS = 400_000n;

/** Addresses known to have code; an address never loses it. */
export type CodeMemory = Set<Address>;

/** The addresses among `addresses` that have no code yet. */
export async function withoutCode(options: {
  client: ChainClient;
  addresses: Address[];
  known: CodeMemory;
}): Promise<Address[]> {
  const { client, known } = options;
  const unknown = [...new Set(options.addresses)].filter((address) => !known.has(address));
  const codes = await Promise.all(unknown.map((address) => hasCode(client, address)));
  for (const [index, address] of unknown.entries()) if (codes[index]) known.add(address);
  return unknown.filter((_, index) => !codes[index]);
}

/** Creates the smart accounts that do not exist yet. The sender pays; the accounts belong to their owners. */
export async function prepareAccounts(
  options: Operator & { accounts: SmartAccount[]; known: CodeMemory },
): Promise<void> {
  const { client, deployment, sender, known } = options;
  const accounts = new Map(options.accounts.map((account) => [account.address, account]));
  const missing = await withoutCode({ client, addresses: [...accounts.keys()], known });
  await Promise.all(
    missing.map(async (address) => {
      const account = accounts.get(address);
      if (!account) return;
      await sender.send({ ...smartAccountCreation({ deployment, account }), gas: CREATION_GAS });
    }),
  );
  const still = await withoutCode({ client, addresses: missing, known });
  if (still.length > 0) throw new Error(`Accounts could not be created: ${still.join(", ")}.`);
}
