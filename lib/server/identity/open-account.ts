import "server-only";
import { giveTestMoney } from "@/lib/domain/accounts/test-customer.ts";
import type { Booted } from "../boot.ts";

/**
 * The account of an owner, made on first sight with its smart account's address. `ownerKey` is sealed, or
 * null when the person holds the key. In the sandbox a new account finds test money and a test card.
 */
export async function openAccount(
  booted: Booted,
  { owner, ownerKey }: { owner: string; ownerKey: string | null },
): Promise<string> {
  const { ports, env } = booted;
  const address = ports.addresses.addressOf(owner);
  const isNew = (await ports.accounts.find(address)) === null;
  await ports.accounts.ensure({
    address,
    owner,
    ownerKey,
    isOperator: false,
    createdAt: await ports.clock.now(),
  });
  if (isNew && env.environment === "sandbox") {
    // A person who has just made a passkey signs in also while the chain is away; test funds can be added later.
    await giveTestMoney(ports, address).catch((cause) =>
      ports.log.warn({ account: address, cause: String(cause) }, "a new account has no test money"),
    );
  }
  return address;
}
