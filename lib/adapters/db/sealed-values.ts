import type { Database } from "./client.ts";

/** A column of sealed secrets, and what each was sealed for. */
type SealedColumn = { name: string; purpose: string };

/** One sealed secret with its row's key and the row it is bound to. */
export type SealedValue = { id: string; row: string; sealed: string };

/** How many of either end. */
const ENDS = 20;

type Column = SealedColumn & { table: string; key: string; column: string; row: string };

const COLUMNS: readonly Column[] = [
  {
    name: "owner keys",
    purpose: "account-owner",
    table: "accounts",
    key: "address",
    column: "owner_key",
    row: "owner",
  },
  {
    name: "delegations' session keys",
    purpose: "session-key",
    table: "delegations",
    key: "delegation_id",
    column: "session_key",
    row: "session_key_address",
  },
  {
    name: "grants' session keys",
    purpose: "session-key",
    table: "chain_grants",
    key: "grant_id",
    column: "session_key",
    row: "session_key_address",
  },
  {
    name: "agents' credentials",
    purpose: "agent-credentials",
    table: "agents",
    key: "agent_id",
    column: "credentials",
    row: "agent_id",
  },
  {
    name: "webhook secrets",
    purpose: "webhook-secret",
    table: "webhook_endpoints",
    key: "endpoint_id",
    column: "secret",
    row: "endpoint_id",
  },
  {
    name: "previous webhook secrets",
    purpose: "webhook-secret",
    table: "webhook_endpoints",
    key: "endpoint_id",
    column: "previous_secret",
    row: "endpoint_id",
  },
  {
    name: "older webhook secrets",
    purpose: "webhook-secret",
    table: "older_webhook_secrets",
    key: "secret_id",
    column: "secret",
    row: "endpoint_id",
  },
];

/** Every sealed secret of the database, column by column. */
export function createSealedValues({ query }: Database) {
  return {
    columns: COLUMNS,
    /** Those that do not begin with `prefix`, by key, after a given key. */
    list: (
      { table, key, column, row }: Column,
      page: { prefix: string; after: string; limit: number },
    ) =>
      query<SealedValue>(
        `select ${key} as id, ${row} as row, ${column} as sealed from ${table}
         where ${column} <> '' and not starts_with(${column}, $1) and ${key} > $2 order by ${key} limit $3`,
        [page.prefix, page.after, page.limit],
      ),
    /** The first and the last few by key: enough to notice another root key, without reading a whole table. */
    ends: ({ table, key, column, row }: Column) => {
      const end = (order: "asc" | "desc") =>
        `(select ${key} as id, ${row} as row, ${column} as sealed from ${table}
          where ${column} <> '' order by ${key} ${order} limit ${ENDS})`;
      return query<SealedValue>(`${end("asc")} union ${end("desc")}`);
    },
    /** Replaces those that are still as they were read; returns how many. */
    async replace(
      { table, key, column }: Column,
      values: { id: string; sealed: string; resealed: string }[],
    ): Promise<number> {
      const rows = await query(
        `update ${table} t set ${column} = v.resealed
         from jsonb_to_recordset($1::jsonb) as v(id text, sealed text, resealed text)
         where t.${key} = v.id and t.${column} = v.sealed returning 1`,
        [JSON.stringify(values)],
      );
      return rows.length;
    },
  };
}
