import type { Hex, Settler } from "@/lib/domain/chain-ports.ts";
import type { Queryable } from "../client.ts";

/**
 * Keeps the address of the settler's key, which sends from now on. A key that comes back, as when a change is taken back,
 * follows the one between.
 */
export async function recordSettler({ query }: Queryable, address: Hex): Promise<void> {
  await query(
    `insert into settlers (address) values ($1) on conflict (address) do update set since = now()
     where settlers.since < (select max(since) from settlers)`,
    [address],
  );
}

/**
 * All settlers of this database. The service sends with a key until the next one, and an hour longer, because replicas change
 * keys one after another. A restored copy can have forgotten nothing later, so what comes then is from someone else who has the
 * key.
 */
export const listSettlers = ({ query }: Queryable): Promise<Settler[]> =>
  query(
    `select address, (select min(next.since) + interval '1 hour' from settlers next where next.since > s.since) as until
     from settlers s`,
  );
