#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { readJson } from "../protocol/json.ts";
import { visibleText } from "../protocol/visible-text.ts";
import { runCommand } from "./command-line.ts";
import { createVerbContext } from "./context.ts";
import { linesOf } from "./lines-of.ts";
import { answerMcp } from "./mcp-server.ts";

const context = createVerbContext({
  apiKey: process.env.TURNPIKE_API_KEY,
  baseUrl: process.env.TURNPIKE_URL,
});

const onFault = (error: unknown) => console.error(error);

/** MCP over standard input and output: one message a line (stdio transport). */
async function serveMcp(): Promise<void> {
  const answers: Promise<void>[] = [];
  for await (const line of linesOf(process.stdin.setEncoding("utf8"))) {
    if (line.trim() === "") continue;
    answers.push(
      answerMcp(readJson(line), { ...context, onFault }).then((answer) => {
        if (answer) process.stdout.write(`${JSON.stringify(answer)}\n`);
      }),
    );
  }
  await Promise.all(answers);
}

/** What a terminal would take for its own, such as a sequence that moves the cursor, is left out. */
const shown = (text: string) =>
  process.stdout.isTTY ? text.split("\n").map(visibleText).join("\n") : text;
// What reads the output may end first, such as `head`.
process.stdout.on("error", () => process.exit(1));

process.exitCode = await runCommand(
  process.argv.slice(2),
  {
    ...context,
    onFault,
    serveMcp,
    readFile: (path) => (path === "-" ? text(process.stdin) : readFile(path, "utf8")),
  },
  {
    out: (line) => process.stdout.write(`${shown(line)}\n`),
    write: (part) => new Promise((done) => process.stdout.write(shown(part), () => done())),
    error: (line) => process.stderr.write(`${line}\n`),
  },
);
