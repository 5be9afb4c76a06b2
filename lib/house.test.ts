import { expect, test } from "vitest";
import {
  findLargeFolders,
  hasVoice,
  isGenerated,
  repositoryFiles,
} from "../scripts/house/files.ts";
import { checkVoice } from "../scripts/house/voice.ts";

const files = repositoryFiles().filter((path) => !isGenerated(path));

test("no folder has more than 40 files", () => {
  expect(findLargeFolders(files, 40)).toEqual([]);
});

test("comments, docs and pages use none of the words we avoid", () => {
  expect(files.filter(hasVoice).flatMap((path) => checkVoice(path))).toEqual([]);
});

test.each([
  ["app/page.tsx", "// It comes back by itself."],
  ["app/page.tsx", "<p>Plans that are listed stand here.</p>"],
  ["app/page.tsx", '<Tag label="Payment on hold" />'],
  ["docs/operations.md", "Nobody has to mend it."],
  ["lib/a.ts", "const books = open();"],
  ["lib/a.sql", "-- what is let in"],
])("in %s the wording of %j is found", (path, line) => {
  expect(checkVoice(path, line)).not.toEqual([]);
});

test.each([
  ["lib/a.ts", 'const status = "held";'],
  ["lib/a.ts", "// It retries on its own."],
  ["app/page.tsx", "<p>Listed plans appear here for everyone.</p>"],
])("in %s nothing is found in %j", (path, line) => {
  expect(checkVoice(path, line)).toEqual([]);
});
