import { readFileSync } from "node:fs";

/** A promise, its bar, and the command that shows it. */
export type ProofRow = {
  id: string;
  area: string;
  promise: string;
  bar: string;
  /** As in the document, and as it is run. */
  text: string;
  command: string[];
};

const DOCUMENT = "docs/proof.md";
const ROW = /^\| ([\w-]+) \| (.*?) \| (.*?) \| `(.*)` \|$/gm;
const NODE = process.execPath;
const PROGRAMS: Record<string, string[]> = {
  node: [NODE, "--import", "./scripts/typescript.mjs"],
  vitest: [NODE, "node_modules/vitest/vitest.mjs", "run"],
  playwright: [NODE, "node_modules/@playwright/test/cli.js", "test"],
  biome: [NODE, "node_modules/@biomejs/biome/bin/biome"],
};

/** Every row of the document, in order. An area is a heading, a row is a line of its table. */
export const PROOF: ProofRow[] = readFileSync(DOCUMENT, "utf8")
  .split(/^## /m)
  .slice(1)
  .flatMap((section) =>
    Array.from(section.matchAll(ROW), ([, id = "", promise = "", bar = "", code = ""]) => {
      const text = code.replaceAll("\\|", "|");
      const area = section.slice(0, section.indexOf("\n"));
      return { id, area, promise, bar, text, command: commandOf(text) };
    }),
  );

/** The words of a command; quotes keep a pattern with spaces together. */
export function wordsOf(text: string): string[] {
  return Array.from(text.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, word = ""]) => quoted ?? word);
}

function commandOf(text: string): string[] {
  return wordsOf(text).flatMap((word) => PROGRAMS[word] ?? [word]);
}
