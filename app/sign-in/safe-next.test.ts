import { expect, test } from "vitest";
import { safeNext } from "./safe-next.ts";

test.each(["/plans", "/plans/new?step=2", "/p/7"])("goes on to this site's path %s", (path) => {
  expect(safeNext(path)).toBe(path);
});

test.each([
  undefined,
  "",
  "plans",
  "https://evil.example",
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "/..//evil.example",
  "/./\\evil.example",
  "javascript:alert(1)",
  " /plans",
  "//evil.example/%2f..",
  "/%00\u0000",
])("does not follow %j", (next) => {
  expect(safeNext(next)).toBe("/home");
});
