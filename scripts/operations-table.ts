// `npm run docs`: writes the tables of operations in docs/protocol.md from their rows, and what shows each threat in
// docs/threats.md, and the figures of docs/reliability.md. `lib/docs.test.ts` and `lib/threats.test.ts` compare.
import { readFileSync, writeFileSync } from "node:fs";
import {
  EVENT_CATALOG,
  type Operation,
  type Operations,
  operations,
  rightName,
  rightOf,
} from "@turnpike/payments/protocol";
import { sandbox } from "@/lib/sandbox/operations.ts";
import { readThreats, withEvidence } from "@/lib/testing/threats.ts";
import { writeReliability } from "./proof/reliability-table.ts";

const PAPER = "docs/protocol.md";

/** The paper with its tables as the rows are now. */
export const withTables = (text: string): string =>
  [
    ["operations", operationTable(operations)],
    ["sandbox operations", operationTable(sandbox)],
    ["events", eventTable()],
  ].reduce((paper, [name = "", table = ""]) => replaceTable(paper, name, table), text);

function replaceTable(text: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name}: written by npm run docs -->`, `<!-- end of ${name} -->`];
  const [before, rest] = text.split(start);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) {
    throw new Error(`${PAPER} lacks the markers of ${name}.`);
  }
  return `${before}${start}\n\n${table}\n\n${end}${after}`;
}

const operationTable = (rows: Operations): string =>
  [HEAD, ...Object.entries(rows).map(([operation, row]) => lineOf(operation, row))].join("\n");

const eventTable = (): string =>
  [
    "| Type | When | Example of `data` |\n| --- | --- | --- |",
    ...Object.entries(EVENT_CATALOG).map(
      ([type, { summary, example }]) =>
        `| \`${type}\` | ${summary} | \`${JSON.stringify(example)}\` |`,
    ),
  ].join("\n");

const HEAD = "| Operation | Method and path | Key needs | Repeat |\n| --- | --- | --- | --- |";

function lineOf(name: string, row: Operation): string {
  const when = Object.entries(row.when ?? {}).map(([key, value]) => ` with \`${key}: "${value}"\``);
  const repeat = row.repeatable ? "yes" : row.repeatKey ? `by \`${row.repeatKey}\`` : "no";
  const right = rightOf(row);
  const key = right ? `\`${rightName(right)}\`` : "no";
  const called = row.audience === "protocol" ? `${row.group}.${name}` : name;
  return `| \`${called}\` | \`${row.method} ${row.path}\`${when.join()} | ${key} | ${repeat} |`;
}

if (process.argv[1]?.endsWith("operations-table.ts")) {
  writeFileSync(PAPER, withTables(readFileSync(PAPER, "utf8")));
  writeFileSync("docs/threats.md", withEvidence(readThreats()));
  writeReliability();
}
