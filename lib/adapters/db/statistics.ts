import type { Database } from "./client.ts";
import { readValues } from "./rows.ts";

// As Postgres' own autovacuum decides: a table whose rows changed by a tenth, and by more than a few.
const CHANGED = `
  select format('%I.%I', s.schemaname, s.relname) as name
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where s.schemaname = 'public' and s.n_mod_since_analyze > 50 + greatest(c.reltuples, 0) / 10`;

/**
 * Updates the embedded database's table statistics, and returns for how many tables. Postgres has a process that does
 * it; without it the planner reads all of a long table for one page.
 */
export async function refreshStatistics(database: Database): Promise<number> {
  const changed = await readValues<string>(database.query(CHANGED));
  if (changed.length === 0) return 0;
  // A small sample: enough to tell a long table from a short one, and quick, as everything else waits meanwhile.
  await database.query("set default_statistics_target = 10");
  for (const name of changed) await database.query(`analyze ${name}`);
  return changed.length;
}
