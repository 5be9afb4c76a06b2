import { readFileSync } from "node:fs";
import type { Database } from "@/lib/adapters/db/client.ts";

/** The SQL statements below a heading of a page, as a person copies them. */
export function statementsUnder(page: string, heading: string): string[] {
  const [, section = ""] = readFileSync(page, "utf8").split(`${heading}\n`);
  const [own = ""] = section.split("\n## ");
  return Array.from(own.matchAll(/```sql\n([\s\S]*?)```/g), ([, sql = ""]) => sql.trim());
}

/** Runs statements with psql's variables; what `\gexec` reads is run as well, and the other commands of psql are left out. */
export async function runStatements(
  database: Database,
  sql: string,
  variables: Record<string, string>,
): Promise<Record<string, unknown>[]> {
  const text = Object.entries(variables).reduce(
    (filled, [name, value]) => filled.replaceAll(`:'${name}'`, `'${value}'`),
    sql.replace(/^\\.*\n| \\g(set| .*)$|\\gexec$/gm, ""),
  );
  const rows: Record<string, unknown>[] = [];
  // Each alone: a pool's transaction would need one connection.
  for (const statement of text.split(/;\n|;$/).filter((part) => !/^(begin|commit)?$/.test(part))) {
    rows.push(...(await database.query<Record<string, unknown>>(statement, [])));
  }
  if (!sql.endsWith("\\gexec")) return rows;
  const read = rows.map(({ format }) => runStatements(database, String(format), {}));
  return (await Promise.all(read)).flat();
}
