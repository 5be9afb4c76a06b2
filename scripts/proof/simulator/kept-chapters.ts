import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Chapter, ChapterResult } from "./chapter.ts";

/** What the result of a chapter depends on. */
const SOURCES = [
  "lib",
  "scripts/proof/simulator",
  "scripts/proof/simulator.ts",
  "package-lock.json",
];

/** Chapters that earlier runs of the same sources found in order, in a file outside git. */
export type KeptChapters = {
  has: (chapter: Chapter) => boolean;
  add: (result: ChapterResult) => void;
};

/** Reads the file; without a commit that has the sources as they are, nothing is kept. */
export function openKeptChapters(file: string): KeptChapters {
  const sources = committedSources();
  const lines = sources && existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const known = new Set(
    lines.filter((line) => sources && line.startsWith(sources)).map(withoutDigest),
  );
  return {
    has: (chapter) => sources !== null && known.has(`${sources} ${keyOf(chapter)}`),
    add(result) {
      // A chapter with faults runs again next time, whatever it found.
      if (sources === null || result.faults.length > 0) return;
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, `${sources} ${keyOf(result)} ${result.digest}\n`);
    },
  };
}

const keyOf = ({ seed, chapter, operations }: Chapter) => `${seed} ${chapter} ${operations}`;

const withoutDigest = (line: string) => line.slice(0, line.lastIndexOf(" "));

/** The sources by their hash in git, or null where they are changed or no repository has them. */
function committedSources(): string | null {
  const git = (...args: string[]) =>
    execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    if (git("status", "--porcelain", "--", ...SOURCES) !== "") return null;
    return git("rev-parse", ...SOURCES.map((path) => `HEAD:${path}`)).replaceAll("\n", "/");
  } catch {
    return null;
  }
}
