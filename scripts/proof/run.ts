import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { styleText } from "node:util";
import { Command } from "commander";
import { readFigure } from "./figures.ts";
import { readFigures, writeReliability } from "./reliability-table.ts";
import { PROOF, type ProofRow } from "./rows.ts";
import { type Figure, type State, stateOf } from "./state-of.ts";

const FIGURES = "docs/proof.json";
/** An old figure was read by another bar or over a week ago: the row has to be run again. */
const COLORS = {
  holds: "green",
  broken: "red",
  old: "yellow",
  "not run": "reset",
} as const satisfies Record<State, string>;

const today = () => new Date().toISOString().slice(0, 10);

const areas = [...new Set(PROOF.map(({ area }) => area))];
const program = new Command("npm run proof --")
  .description("Lists Turnpike's promises by area with their last figures, then runs them.")
  .argument("[names...]", `areas or rows to run (areas: ${areas.join(", ")}; default: all)`)
  .option("--list", "only list")
  .parse();

const names = program.args;
const chosen = PROOF.filter(
  (row) => names.length === 0 || names.includes(row.area) || names.includes(row.id),
);
if (chosen.length === 0) program.error(`No areas or rows match ${names.join(", ")}.`);

list();
if (!program.opts().list) {
  for (const row of chosen) await prove(row);
  list();
  if (chosen.some(({ id }) => !readFigures()[id]?.ok)) process.exitCode = 1;
}

function list(): void {
  const figures = readFigures();
  for (const area of areas) {
    console.log(`\n${styleText("bold", area)}`);
    for (const row of PROOF.filter((candidate) => candidate.area === area)) {
      const last = figures[row.id];
      const state = stateOf(row.id, last, today());
      const mark = styleText(COLORS[state], state.padEnd(7));
      console.log(`  ${mark} ${row.id.padEnd(14)} ${row.promise}`);
      console.log(`          ${"".padEnd(14)} ${styleText("dim", `bar: ${row.bar}`)}`);
      if (last)
        console.log(
          `          ${"".padEnd(14)} ${last.figure}  ${styleText("dim", `(${last.secs} s, ${last.date})`)}`,
        );
    }
  }
  console.log("");
}

async function prove(row: ProofRow): Promise<void> {
  console.log(styleText("bold", `\n${row.id}: ${row.promise}\n`));
  const start = Date.now();
  const { status, output } = await runCommand(row.command);
  const verdict = judge(row, status, output);
  const secs = Math.round((Date.now() - start) / 1000);
  const figures = {
    ...readFigures(),
    [row.id]: { ...verdict, secs, date: today() },
  };
  writeFileSync(FIGURES, `${JSON.stringify(figures, null, 2)}\n`);
  writeReliability();
}

function judge(row: ProofRow, status: number, output: string): Pick<Figure, "ok" | "figure"> {
  if (status !== 0) return { ok: false, figure: `ended with status ${status}` };
  try {
    return { ok: true, figure: readFigure(row, output) };
  } catch (cause) {
    return { ok: false, figure: (cause as Error).message };
  }
}

function runCommand([command = "", ...args]: string[]): Promise<{
  status: number;
  output: string;
}> {
  return new Promise((done, failed) => {
    const child = spawn(command, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1", PROOF: "full" },
    });
    let output = "";
    // Some tools print their summary on standard error.
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        process.stdout.write(chunk);
        output += chunk.toString();
      });
    }
    child.once("error", failed);
    child.once("exit", (status) => done({ status: status ?? 1, output }));
  });
}
