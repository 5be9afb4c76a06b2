import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const ROOT = import.meta.dirname;
const DECLARED = /^(export )?(?:async )?(?:const|type|function|class|interface) (\w+)/;
const STARS = /export (?:type )?\* from "(\.[^"]+)"/g;
const LISTS = /export (?:type )?\{([^}]*)\} from "(\.[^"]+)"/g;

const { exports: entries } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const sources = Object.values<{ default: string }>(entries).map((entry) =>
  join(ROOT, entry.default.replace("./dist/", "").replace(/\.js$/, ".ts")),
);

/** The names that a module exports, each with whether a comment says what it is. A type may have its schema's. */
function exportsOf(path: string): Map<string, boolean> {
  const text = readFileSync(path, "utf8");
  const told = new Set<string>();
  const own: string[] = [];
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    const [, mark, name] = DECLARED.exec(line) ?? [];
    if (name && /\*\/$/.test(lines[at - 1] ?? "")) told.add(name);
    if (name && mark) own.push(name);
  }
  const exported = new Map(own.map((name) => [name, told.has(name)]));
  for (const [, from = ""] of text.matchAll(STARS))
    for (const [name, isTold] of exportsOf(join(dirname(path), from))) exported.set(name, isTold);
  for (const [, list = "", from = ""] of text.matchAll(LISTS)) {
    const all = exportsOf(join(dirname(path), from));
    for (const part of list
      .split(",")
      .map((one) => one.trim().replace(/^type /, ""))
      .filter(Boolean)) {
      const [name = "", as = name] = part.split(" as ");
      exported.set(as, all.get(name) === true);
    }
  }
  return exported;
}

test.each(sources)("a comment says what each name that %s exports is", (source) => {
  const exported = exportsOf(source);
  expect(exported.size).toBeGreaterThan(0);
  expect([...exported].filter(([, isTold]) => !isTold).map(([name]) => name)).toEqual([]);
});
