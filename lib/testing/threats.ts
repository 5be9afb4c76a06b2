import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { PROOF } from "@/scripts/proof/rows.ts";

const PAPER = "docs/threats.md";
const ID = /\b(?:T\d\d|R\d{1,2})\b/g;
/** Ids at the beginning of a title, which is how a test says what it proves. */
const TITLE = /["'`]((?:[TR]\d{1,2}(?:, )?)+): /g;
const ROW = /^\| ([TR]\d{1,2}) \| (.*?) \| (.*?) \|$/;
const NOT_HERE = /Not here: .*$/;

/** Where each id is proven: rows of the proof, then files of tests. */
export function findEvidence(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const add = (ids: Iterable<string>, where: string) => {
    for (const id of new Set(ids)) {
      const known = found.get(id) ?? [];
      if (!known.includes(where)) found.set(id, [...known, where]);
    }
  };
  for (const { id, promise } of PROOF) add(promise.match(ID) ?? [], `proof row \`${id}\``);
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
  });
  for (const path of listed.split("\n").filter((name) => /\.(test|spec)\.ts$/.test(name))) {
    for (const [, ids = ""] of readFileSync(path, "utf8").matchAll(TITLE)) {
      add(ids.match(ID) ?? [], `\`${path}\``);
    }
  }
  return found;
}

/** The paper with what shows each row as the tests and the proof are now. What is not here keeps its reason. */
export function withEvidence(text: string, evidence = findEvidence()): string {
  return text
    .split("\n")
    .map((line) => {
      const [, id = "", threat = "", shown = ""] = ROW.exec(line) ?? [];
      if (!id) return line;
      const reason = NOT_HERE.exec(shown)?.[0];
      const proven = evidence.get(id)?.join(", ");
      return `| ${id} | ${threat} | ${[proven, reason].filter(Boolean).join(". ")} |`;
    })
    .join("\n");
}

export const readThreats = () => readFileSync(PAPER, "utf8");

/** The ids of the paper's rows, and those with nothing to show. */
export function idsOf(text: string): { ids: string[]; empty: string[] } {
  const rows = text.split("\n").flatMap((line) => {
    const [, id, , shown = ""] = ROW.exec(line) ?? [];
    return id ? [{ id, shown }] : [];
  });
  return {
    ids: rows.map(({ id }) => id),
    empty: rows.filter(({ shown }) => !shown.trim()).map(({ id }) => id),
  };
}
