import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { PROOF } from "./rows.ts";
import { type Figure, type State, stateOf } from "./state-of.ts";

const PAPER = "docs/reliability.md";
const START = "<!-- figures: written by npm run docs and npm run proof -->";
const END = "<!-- end of figures -->";
/** The rows that the paper reports, in its order. */
const ROWS = [
  "failovers",
  "faults-20",
  "faults-20-reads",
  "crash",
  "event-crash",
  "upgrade",
  "soak",
  "event-listeners",
  "simulator",
  "linearizability",
  "leases",
  "chain-faults",
  "card-crashes",
  "books",
  "repair",
];

const NOTES: Partial<Record<State, string>> = {
  broken: "**Misses its bar.** ",
  old: "**Measured by an earlier bar.** ",
};

/** The last figures of every row that ran. */
export const readFigures = (): Record<string, Figure> =>
  existsSync("docs/proof.json") ? JSON.parse(readFileSync("docs/proof.json", "utf8")) : {};

/** The paper with the figures that `docs/proof.json` has now. */
export function withFigures(text: string): string {
  const [before, rest] = text.split(START);
  const [, after] = rest?.split(END) ?? [];
  if (before === undefined || after === undefined) throw new Error(`${PAPER} lacks its markers.`);
  return `${before}${START}\n\n${figureTable()}\n\n${END}${after}`;
}

function figureTable(): string {
  const figures = readFigures();
  const lines = ROWS.map((id) => {
    const row = PROOF.find((one) => one.id === id);
    if (!row) throw new Error(`docs/proof.md has no row ${id}.`);
    const last = figures[id];
    const figure = `${NOTES[stateOf(id, last)] ?? ""}${last?.figure ?? "Not run"}`;
    return `| \`npm run proof -- ${id}\` | ${row.bar} | ${figure} | ${last?.date ?? "–"} |`;
  });
  return ["| Command | Bar | Last figure | Date |\n| --- | --- | --- | --- |", ...lines].join("\n");
}

export const writeReliability = (): void =>
  writeFileSync(PAPER, withFigures(readFileSync(PAPER, "utf8")));
