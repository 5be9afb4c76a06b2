import type { Database } from "@/lib/adapters/db/client.ts";

const ROWS_AT_ONCE = 2_000;

export type RowWriter = ReturnType<typeof createRowWriter>;

/** Inserts rows as JSON, many at once; what is there already stays. */
export function createRowWriter(database: Database) {
  const waiting = new Map<string, object[]>();
  const send = async (table: string) => {
    const rows = waiting.get(table) ?? [];
    waiting.delete(table);
    await database.query(
      `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb) on conflict do nothing`,
      [JSON.stringify(rows)],
    );
  };
  const write = async (table: string, row: object) => {
    const rows = waiting.get(table) ?? [];
    rows.push(row);
    waiting.set(table, rows);
    if (rows.length >= ROWS_AT_ONCE) await send(table);
  };
  return Object.assign(write, {
    flush: async () => {
      for (const table of [...waiting.keys()]) await send(table);
    },
  });
}
