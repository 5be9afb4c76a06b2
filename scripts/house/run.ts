// `npm run house [-- PATH …]`: large folders, size and wording, below the given paths.
import { readFileSync } from "node:fs";
import { findLargeFolders, hasVoice, isGenerated, isProduction, repositoryFiles } from "./files.ts";
import { checkVoice } from "./voice.ts";

const MAX_FOLDER_FILES = 40;

const paths = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const isAsked = (path: string) =>
  paths.length === 0 || paths.some((asked) => path.startsWith(asked));
const all = repositoryFiles().filter((path) => !isGenerated(path));
const asked = all.filter(isAsked);

const folders = findLargeFolders(all, MAX_FOLDER_FILES).filter(({ folder }) =>
  isAsked(`${folder}/`),
);
const words = asked.filter(hasVoice).flatMap((path) => checkVoice(path));
const lines = asked
  .filter(isProduction)
  .reduce((sum, path) => sum + readFileSync(path, "utf8").split("\n").length - 1, 0);

for (const { folder, files } of folders) {
  console.log(`${folder}  ${files} files, at most ${MAX_FOLDER_FILES}`);
}
for (const { path, line, found, say } of words) {
  console.log(`${path}:${line}  "${found}": say ${say}`);
}
console.log(`\n${folders.length} large folders, ${words.length} words; ${lines} production lines.`);
process.exitCode = folders.length + words.length > 0 ? 1 : 0;
