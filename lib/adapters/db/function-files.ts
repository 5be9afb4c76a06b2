import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

/** SQL that is applied again whenever it changes. */
export type FunctionFile = {
  name: string;
  version: number;
  /** The start of the digest of `sql`. */
  content: string;
  sql: string;
  /** Whether its first line names its content, so that its version was raised with its last change. */
  isStamped: boolean;
};

/** One connection, which may run several statements at once. */
export type Session = {
  exec(sql: string): Promise<unknown>;
  query(text: string, parameters: unknown[]): Promise<{ rows: unknown[] }>;
};

// From the working folder, which is the repository's: a bundler moves this module, not the SQL.
export const FUNCTION_FOLDER = resolve("lib/adapters/db/functions");
const FIRST_LINE = /^-- version (\d+), content ([0-9a-f]{16})\n/;

/** The functions and views of this release, in the order they are created in. */
export const readFunctionFiles = (): FunctionFile[] =>
  readdirSync(FUNCTION_FOLDER)
    .sort()
    .map((name) => parseFunctionFile(name, readFileSync(`${FUNCTION_FOLDER}/${name}`, "utf8")));

export function parseFunctionFile(name: string, text: string): FunctionFile {
  const [line = "", version = "0", stamped] = FIRST_LINE.exec(text) ?? [];
  const sql = text.slice(line.length);
  const content = createHash("sha256").update(sql).digest("hex").slice(0, 16);
  return { name, version: Number(version), content, sql, isStamped: content === stamped };
}

export const firstLineOf = ({ version, content }: Pick<FunctionFile, "version" | "content">) =>
  `-- version ${version}, content ${content}\n`;

/**
 * Applies the files whose content this database does not have, all in one transaction, and returns their names. A
 * file of a newer version stays: an older replica that restarts during a rollout must not take it back. The caller
 * holds the migration lock.
 */
export async function applyFunctionFiles(
  session: Session,
  files: readonly FunctionFile[] = readFunctionFiles(),
): Promise<string[]> {
  const changed = await findChangedFiles(session, files);
  if (changed.length === 0) return [];
  await session.exec("begin");
  try {
    for (const { name, version, content, sql } of changed) {
      await session.exec(sql);
      await session.query(
        `insert into function_files (name, version, content) values ($1, $2, $3)
         on conflict (name) do update set version = excluded.version, content = excluded.content, applied_at = now()`,
        [name, version, content],
      );
    }
    await session.exec("commit");
  } catch (cause) {
    await session.exec("rollback");
    throw cause;
  }
  return changed.map(({ name }) => name);
}

/** The files whose content, or a newer one, this database does not have. */
export async function findChangedFiles(
  session: Session,
  files: readonly FunctionFile[] = readFunctionFiles(),
): Promise<FunctionFile[]> {
  const { rows } = await session.query("select name, version, content from function_files", []);
  const applied = new Map((rows as FunctionFile[]).map((file) => [file.name, file]));
  return files.filter((file) => isNewer(file, applied.get(file.name)));
}

// The same version with other content is an unstamped change of a developer's.
const isNewer = (file: FunctionFile, applied: FunctionFile | undefined): boolean =>
  !applied ||
  file.version > applied.version ||
  (file.version === applied.version && file.content !== applied.content);
