import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { verbs } from "./verbs.ts";

test("a verb has one home: no two collected modules export the same name", async () => {
  const code = readFileSync(new URL("./verbs.ts", import.meta.url), "utf8");
  const paths = Array.from(code.matchAll(/import \* as \w+ from "(.+)"/g), ([, path]) => path);
  const modules = await Promise.all(paths.map((path) => import(/* @vite-ignore */ `${path}`)));
  const names = modules.flatMap((module) => Object.keys(module));
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  expect(modules.length).toBeGreaterThan(10);
  expect(repeated).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(Object.keys(verbs)));
});
