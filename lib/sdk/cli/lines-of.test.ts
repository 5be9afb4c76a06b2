import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { bundled } from "@/lib/testing/bundled.ts";
import { linesOf } from "./lines-of.ts";

test("a line ends at a line feed alone, wherever its parts are cut", async () => {
  const sent = ["one\u2028two", "\u2029three\rfour\nfi", "ve\n\n", "six"];
  const parts = async function* () {
    yield* sent;
  };
  const lines: string[] = [];
  for await (const line of linesOf(parts())) lines.push(line);
  expect(lines).toEqual(["one\u2028two\u2029three\rfour", "five", "", "six"]);
});

test("an MCP message whose text has a line separator is answered under its id", async () => {
  const server = spawn(process.execPath, [bundled("lib/sdk/cli/main.ts"), "mcp"]);
  const id = "a\u2028b";
  server.stdin.end(`${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`);
  expect(JSON.parse(await text(server.stdout))).toEqual({ jsonrpc: "2.0", id, result: {} });
});
