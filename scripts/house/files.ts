import { execFileSync } from "node:child_process";

/** Every file git tracks, and every new one it does not ignore, sorted. */
export function repositoryFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const removed = execFileSync("git", ["ls-files", "--deleted"], { encoding: "utf8" });
  const gone = new Set(removed.split("\n"));
  return [...new Set(listed.split("\n"))].filter((path) => path !== "" && !gone.has(path)).sort();
}

/** Whether a file is a test or supports one. */
export const isTest = (path: string): boolean =>
  /\.(test|spec)\.tsx?$/.test(path) ||
  /(^|\/)(testing|test-support)\//.test(path) ||
  path.startsWith("e2e/");

/** Files that tools write. */
export const isGenerated = (path: string): boolean =>
  /(^|\/)migrations\/|chain\/artifacts\/|package-lock\.json$/.test(path);

/** Code the product runs or ships: TypeScript and SQL, without tests and generated files. */
export const isProduction = (path: string): boolean =>
  /\.(tsx?|sql)$/.test(path) &&
  /^(app|components|lib|scripts|bench|[^/]+$)/.test(path) &&
  !isTest(path) &&
  !isGenerated(path);

/** Folders of ours that hold more than `max` files themselves, without those in folders below. */
export function findLargeFolders(
  paths: readonly string[],
  max: number,
): { folder: string; files: number }[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = path.split("/").slice(0, -1).join("/");
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, files]) => files > max && !NUMBERED.has(folder))
    .map(([folder, files]) => ({ folder, files }));
}

/** Archives that grow by a number and are read by their index. */
const NUMBERED = new Set(["docs/adr"]);

/** Files that list the words themselves. */
const WORD_LISTS = new Set(["scripts/house/voice.ts", "lib/house.test.ts"]);

/** Whether people read a file: code with its comments, prose, and the package's own pages. */
export const hasVoice = (path: string): boolean =>
  /\.(?:tsx?|mjs|sql|sol|md|html|txt|example)$/.test(path) &&
  !isGenerated(path) &&
  !WORD_LISTS.has(path) &&
  path !== "LICENSE";
