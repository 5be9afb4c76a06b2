import type { Hex } from "@/lib/domain/chain-ports.ts";
import type { Database } from "../client.ts";

/** Keeps the address of a settler's key, which may have sent something from now on. */
export async function recordSettler(
  { query }: Pick<Database, "query">,
  address: Hex,
): Promise<void> {
  await query("insert into settlers (address) values ($1) on conflict do nothing", [address]);
}

/** The addresses of all settlers' keys that this database has had. */
export async function listSettlers({ query }: Pick<Database, "query">): Promise<Hex[]> {
  const rows = await query<{ address: Hex }>("select address from settlers", []);
  return rows.map(({ address }) => address);
}
