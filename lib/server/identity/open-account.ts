import "server-only";
import type { Booted } from "../boot.ts";

/** The demo's test card: every charge succeeds. */
const TEST_CARD = "pm_card_visa";

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
  if (isNew && env.environment === "sandbox") await endow(booted, address);
  return address;
}

/** Gives an account of the sandbox test money and, when it has no card, a test card. Repeatable. */
export async function endow({ chain, cards }: Booted, address: string): Promise<void> {
  await chain.fundAccount(address);
  const saved = await cards.cards.listPaymentMethods(address);
  if (saved.length === 0) await cards.cards.saveCard(address, TEST_CARD);
}
