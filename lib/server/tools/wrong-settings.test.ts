import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { bundled } from "@/lib/testing/bundled.ts";
import { firstCases } from "@/lib/testing/in-full.ts";

const OWNER = ["--owner", "0x0000000000000000000000000000000000000001"];

test.each(
  firstCases(1, [
    ["repair", [], 1],
    ["create-account", OWNER, 1],
    ["doctor", ["http://localhost:1/ask"], 2],
  ]),
)("%s says which setting is wrong, without a stack trace", (tool, args, code) => {
  const node = [bundled(`scripts/${tool}.ts`), ...args];
  const { PATH } = process.env;
  const { status, stderr } = spawnSync(process.execPath, node, {
    env: { PATH, PORT: "abc", TURNPIKE_DATA_DIR: tmpdir(), NODE_ENV: "production" },
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([
    code,
    "Some settings are invalid:\n  PORT: Expected a whole number, digits only.\n",
  ]);
});
