import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { longTest } from "@/lib/testing/in-full.ts";

/** Checks the files of `cspell.json`, or a text given with its path. */
function checkSpelling(files: string[] = [], input = "") {
  const args = ["node_modules/cspell/bin.mjs", "lint", "--no-progress", "--no-color", ...files];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { input, encoding: "utf8" });
  return { status, stdout, stderr, checked: Number(/Files checked: (\d+)/.exec(stderr)?.[1]) };
}

test("documents, guides and public texts have no unknown words", () => {
  const { status, stdout, stderr, checked } = checkSpelling();
  expect(stdout, stderr).toBe("");
  expect(status, stderr).toBe(0);
  expect(checked).toBeGreaterThan(180);
});

longTest("a wrong word is found in prose, and code and addresses are not read", () => {
  const text = [
    "The subscriber recieves a token.",
    "`xqzzvw()` at [the page](https://agent.example/xqzzvw)",
    "```js",
    "xqzzvw();",
    "```",
  ];
  const { status, stdout } = checkSpelling(["stdin://docs/wrong.md"], text.join("\n"));
  expect(status).toBe(1);
  expect(stdout.match(/Unknown word \(\w+\)/g)).toEqual(["Unknown word (recieves)"]);
});
