import "server-only";
import { createApiKey } from "@/lib/domain/accounts/api-keys.ts";
import type { Context } from "@/lib/domain/context.ts";
import type { Ports } from "@/lib/domain/ports.ts";

/**
 * Creates the account of a wallet, if it is new, and an API key for it.
 *
 * @param options.isOperator the account must be one that may redeem plans of `ONLY_GLOBAL_ROLE`. Throws, and creates no key,
 * where the account exists and is none.
 * @example const { apiKey } = await createAccount(ports, { owner, name: "First key", requestId: "create-account" });
 */
export async function createAccount(
  ports: Ports,
  options: { owner: string; name: string; requestId: string; isOperator?: boolean },
) {
  const { owner, name, requestId, isOperator = false } = options;
  const address = ports.addresses.addressOf(owner);
  const createdAt = await ports.clock.now();
  await ports.accounts.ensure({ address, owner, ownerKey: null, isOperator, createdAt });
  const found = await ports.accounts.find(address);
  if (isOperator && !found?.isOperator) {
    throw new Error(
      `The account ${address} exists and is not an operator. No key was created. Name a wallet without an account.`,
    );
  }
  const caller = { account: address, keyId: null, isOperator: found?.isOperator ?? false };
  const context: Context = { ports, caller, keyHash: null, requestId };
  const key = await createApiKey(context, { name });
  return { address, context, ...key };
}
