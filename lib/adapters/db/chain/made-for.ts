import type { Queryable } from "../client.ts";
import { withClient } from "../connections/no-connection.ts";
import { readValue } from "../rows.ts";

/** What the credits and tokens of a database belong to. `plans` is the address of the contract. */
export type MadeFor = { environment: string; chainId: number; plans: string };

// A database of an earlier release has no row, but may have read the events of its contract.
const CLAIM = `insert into made_for (environment, chain_id, plans)
  select $1, $2::int, coalesce((select lower(contract) from chain_cursors
    where contract like '0x%' and not exists (select 1 from chain_cursors where lower(contract) = $3) limit 1), $3)
  on conflict do nothing`;

/**
 * What this database was made for. The first service that opens it says so; the answer stays the same from then on.
 *
 * @example const made = await claimDatabase(database, { environment: "live", chainId: 8453, plans: "0x…" });
 */
export async function claimDatabase(
  { query }: Queryable,
  { environment, chainId, plans }: MadeFor,
): Promise<MadeFor> {
  await query(CLAIM, [environment, chainId, plans.toLowerCase()]);
  return (await findMadeFor({ query })) ?? { environment, chainId, plans };
}

/** What this database was made for; undefined while no service has opened it. */
export async function findMadeFor({ query }: Queryable): Promise<MadeFor | undefined> {
  const made = `select environment, chain_id as "chainId", plans from made_for`;
  return (await query<MadeFor>(made))[0];
}

/** The card processor's account that this database belongs to: the first that a service had the keys of. */
export async function claimCardAccount({ query }: Queryable, account: string): Promise<string> {
  const claim =
    "update made_for set card_account = coalesce(card_account, $1) returning card_account";
  return (await readValue<string>(query(claim, [account]))) ?? account;
}

/** The same without claiming it, of a database that may not be migrated; undefined where none is known. */
export async function findClaimedCardAccount({ query }: Queryable): Promise<string | undefined> {
  if (!(await readValue(query("select to_regclass('made_for')")))) return undefined;
  const claimed = "select to_jsonb(made_for)->>'card_account' from made_for";
  return (await readValue<string | null>(query(claimed))) ?? undefined;
}

/**
 * Whether a Postgres has no account yet, read without migrating it.
 *
 * @throws NoConnection when it does not answer.
 */
export const isEmptyDatabase = (url: string): Promise<boolean> =>
  withClient({ connectionString: url, connectionTimeoutMillis: 5_000 }, async (client) => {
    const { rows } = await client.query("select to_regclass('accounts') is not null as found");
    if (!rows[0]?.found) return true;
    return (await client.query("select 1 from accounts limit 1")).rows.length === 0;
  });
