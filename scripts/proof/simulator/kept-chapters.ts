import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Chapter, ChapterResult } from "./chapter.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** What the database is made of; the code is what a chapter imports. */
const SCHEMA = ["lib/adapters/db/functions", "lib/adapters/db/migrations"];

/**
 * Chapters that earlier runs of the same code found in order. The file is committed, because twenty seeds take hours:
 * each line has the digest of the code, the chapter, and the digest of its moves and their answers, so that any chapter
 * can be run again and compared.
 */
export type KeptChapters = Awaited<ReturnType<typeof openKeptChapters>>;

/** Reads the chapters that were run by the code as it is now. */
export async function openKeptChapters(file: string) {
  const code = await codeDigest();
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const known = new Set(lines.filter((line) => line.startsWith(code)).map(withoutDigest));
  return {
    has: (chapter: Chapter) => known.has(`${code} ${keyOf(chapter)}`),
    add(result: ChapterResult) {
      // A chapter with faults runs again next time, whatever it found.
      if (result.faults.length > 0) return;
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, `${code} ${keyOf(result)} ${result.digest}\n`);
    },
  };
}

const keyOf = ({ seed, chapter, operations }: Chapter) => `${seed} ${chapter} ${operations}`;

const withoutDigest = (line: string) => line.slice(0, line.lastIndexOf(" "));

/** One digest of everything a chapter runs: our code without its comments, the schema, and the versions of packages. */
async function codeDigest(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "scripts/proof/simulator/chapter.ts")],
    tsconfig: join(ROOT, "tsconfig.node.json"),
    bundle: true,
    write: false,
    minifyWhitespace: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
  const digest = createHash("sha256");
  for (const { contents } of outputFiles) digest.update(contents);
  const schema = SCHEMA.flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".sql"))
      .map((name) => join(ROOT, folder, name)),
  );
  for (const path of [...schema, join(ROOT, "package-lock.json")])
    digest.update(readFileSync(path));
  return digest.digest("hex").slice(0, 16);
}
