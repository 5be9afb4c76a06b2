// `npm run docs`: writes the tables of operations and events from their rows, and what shows each threat in
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

/** The documents with tables, and each table by its name in the markers around it. */
const TABLES: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  "docs/protocol.md": {
    operations: () => operationTable(operations),
    "sandbox operations": () => operationTable(sandbox),
    events: () => eventTable(),
  },
  "docs/guides/webhooks.md": { "types of events": () => typeTable() },
};

export const PAPERS = Object.keys(TABLES);

/** The document with its tables as the rows are now. */
export const withTables = (paper: string): string =>
  Object.entries(TABLES[paper] ?? {}).reduce(
    (text, [name, table]) => replaceTable(text, name, table()),
    readFileSync(paper, "utf8"),
  );

function replaceTable(text: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name}: written by npm run docs -->`, `<!-- end of ${name} -->`];
  const [before, rest] = text.split(start);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) {
    throw new Error(`A document lacks the markers of ${name}.`);
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

const typeTable = (): string =>
  [
    "| Type | When |\n| --- | --- |",
    ...Object.entries(EVENT_CATALOG).map(([type, { summary }]) => `| \`${type}\` | ${summary} |`),
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
  for (const paper of PAPERS) writeFileSync(paper, withTables(paper));
  writeFileSync("docs/threats.md", withEvidence(readThreats()));
  writeReliability();
}
