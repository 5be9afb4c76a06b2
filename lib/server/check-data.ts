import "server-only";
import { createSealing } from "@/lib/adapters/crypto/sealing.ts";
import {
  claimCardAccount,
  claimDatabase,
  findClaimedCardAccount,
  findMadeFor,
  type MadeFor,
} from "@/lib/adapters/db/chain/made-for.ts";
import { recordSettler } from "@/lib/adapters/db/chain/settlers.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createSealedValues } from "@/lib/adapters/db/sealed-values.ts";
import type { Hex } from "@/lib/domain/chain-ports.ts";
import type { Work } from "./background.ts";
import type { As } from "./open-database.ts";

type Data = {
  database: Database;
  /** Newest first. */
  secretKeys: readonly Uint8Array[];
  madeFor: MadeFor;
  /** The card processor's account; null where there are no cards or the key may not read it, undefined while that is not known. */
  cardAccount: string | null | undefined;
  /** The address of the settler's key that the service sends with. */
  settler?: Hex | undefined;
  /** A tool records nothing: its settings may be other ones, or its database. */
  as: As;
};

/**
 * Refuses data that this service could only damage: secrets sealed under another root key, and credits that belong to
 * other contracts, another environment or another card account. Keeps the settler, whose transactions a restored copy may have forgotten.
 *
 * @throws Error that says which setting is wrong.
 */
export async function checkData({
  database,
  secretKeys,
  madeFor,
  cardAccount,
  settler,
  as,
}: Data): Promise<void> {
  const unreadable = await findUnreadable({ database, secretKeys });
  if (unreadable.length > 0) throw new Error(unreadableText(unreadable));
  const isTool = as === "tool";
  const made = await (isTool ? findMadeFor(database) : claimDatabase(database, madeFor));
  const fault = made && findContractsFault(made, madeFor);
  if (fault) throw new Error(fault);
  if (cardAccount) {
    const claimed = await (isTool
      ? findClaimedCardAccount(database)
      : claimCardAccount(database, cardAccount));
    const accountFault = claimed && findAccountFault(claimed, cardAccount);
    if (accountFault) throw new Error(accountFault);
  }
  if (settler && !isTool) await recordSettler(database, settler);
}

/** The kinds of sealed secrets of which one is under no configured root key. Reads the ends of each column only. */
export async function findUnreadable({
  database,
  secretKeys,
}: Pick<Data, "database" | "secretKeys">): Promise<string[]> {
  const { isKnown } = createSealing(secretKeys);
  const values = createSealedValues(database);
  const kinds: string[] = [];
  for (const column of values.columns) {
    const ends = await values.ends(column);
    const isReadable = ends.every(({ row, sealed }) =>
      isKnown(sealed, { purpose: column.purpose, row }),
    );
    if (!isReadable) kinds.push(column.name);
  }
  return kinds;
}

const READ_EVERY_MS = 60_000;

/** Finds that another replica seals with a root key which this one lacks. */
export type SecretCheck = { work: Work; findDegraded: () => string | null };

/** Makes a {@link SecretCheck}; its work is to read a few secrets of each kind, as the start does. */
export function createSecretCheck(data: Pick<Data, "database" | "secretKeys">): SecretCheck {
  let kinds: string[] = [];
  const run = async () => {
    kinds = await findUnreadable(data);
  };
  return {
    work: { name: "secrets", everyMs: READ_EVERY_MS, run },
    findDegraded: () => (kinds.length > 0 ? unreadableText(kinds) : null),
  };
}

const ASK_EVERY_MS = 5_000;

/** Compares the card account with the database's once the processor says which it is, where it did not at the start. */
export function createAccountCheck(
  { database, cardAccount }: Pick<Data, "database" | "cardAccount">,
  find: () => Promise<Data["cardAccount"]>,
) {
  let fault =
    cardAccount === undefined
      ? "Stripe has not said yet which account STRIPE_SECRET_KEY is a key of, so it is not known whether the cards and payments of this database are in it."
      : null;
  let isWrong = false;
  let isDone = cardAccount !== undefined;
  const run = async () => {
    const account = isDone ? undefined : await find();
    if (account === undefined) return;
    fault = account && findAccountFault(await claimCardAccount(database, account), account);
    isWrong = fault !== null;
    isDone = true;
  };
  return {
    work: { name: "card account", everyMs: ASK_EVERY_MS, run },
    findDegraded: () => fault,
    /** Why nothing may be sold: the keys are of another account. */
    salesStop: () => (isWrong ? fault : null),
  };
}

export const unreadableText = (kinds: readonly string[]): string =>
  `TURNPIKE_SECRET_KEY does not open secrets of this database (${kinds.join(", ")}). Set the key that sealed them, or list it after the new one: TURNPIKE_SECRET_KEY=NEW,OLD.`;

/** Why a database must not be used with these contracts, or null. */
export function findContractsFault(made: MadeFor, wanted: MadeFor): string | null {
  if (made.environment !== wanted.environment) {
    return `This database was made by a ${made.environment} deployment, and TURNPIKE_ENVIRONMENT is ${wanted.environment}. Give each environment a separate database: set DATABASE_URL.`;
  }
  const isSame =
    made.chainId === wanted.chainId && made.plans.toLowerCase() === wanted.plans.toLowerCase();
  if (isSame) return null;
  return `This database was made for the contracts of chain ${made.chainId} with Plans at ${made.plans}, and the settings name chain ${wanted.chainId} with Plans at ${wanted.plans}. Its credits and tokens belong to the former. Correct CHAIN_ID and DEPLOYMENTS_FILE, or use an empty database.`;
}

/** Why a database must not be used with this card account, or null. */
export function findAccountFault(made: string, wanted: string): string | null {
  if (made === wanted) return null;
  return `The cards and payments of this database are in the Stripe account ${made}, and STRIPE_SECRET_KEY is a key of ${wanted}. Set the keys of the former. If the account was moved on purpose: update made_for set card_account = '${wanted}'.`;
}
