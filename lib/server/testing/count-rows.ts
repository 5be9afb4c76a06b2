import type { Database } from "@/lib/adapters/db/client.ts";

/** How many rows every table has: equal before and after means nothing was written beside. */
export async function countRows(database: Database): Promise<Record<string, number>> {
  const tables = await database.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
    [],
  );
  const counts = tables.map(({ name }) => `(select count(*) from "${name}") as "${name}"`);
  const [row = {}] = await database.query<Record<string, number>>(`select ${counts}`, []);
  return row;
}
