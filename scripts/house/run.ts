// `npm run house [-- PATH …]`: long functions, large folders, size and wording, below the given paths.
import { readFileSync } from "node:fs";
import { isGenerated, isProduction, isTest, repositoryFiles } from "./files.ts";
import { findLargeFolders } from "./large-folders.ts";
import { findLongFunctions } from "./long-functions.ts";
import { checkVoice } from "./voice.ts";
import { hasVoice } from "./voice-scope.ts";

const MAX_FUNCTION_LINES = 80;
const MAX_FOLDER_FILES = 40;

const paths = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const isAsked = (path: string) =>
  paths.length === 0 || paths.some((asked) => path.startsWith(asked));
const all = repositoryFiles().filter((path) => !isGenerated(path));
const asked = all.filter(isAsked);

const long = asked
  .filter((path) => /\.tsx?$/.test(path) && !isTest(path))
  .flatMap((path) => findLongFunctions(path, MAX_FUNCTION_LINES));
const folders = findLargeFolders(all, MAX_FOLDER_FILES).filter(({ folder }) =>
  isAsked(`${folder}/`),
);
const words = asked.filter(hasVoice).flatMap((path) => checkVoice(path));
const lines = asked
  .filter(isProduction)
  .reduce((sum, path) => sum + readFileSync(path, "utf8").split("\n").length - 1, 0);

for (const { path, line, name, lines } of long) {
  console.log(`${path}:${line}  ${name} has ${lines} lines, at most ${MAX_FUNCTION_LINES}`);
}
for (const { folder, files } of folders) {
  console.log(`${folder}  ${files} files, at most ${MAX_FOLDER_FILES}`);
}
for (const { path, line, found, say } of words) {
  console.log(`${path}:${line}  "${found}": say ${say}`);
}
console.log(
  `\n${long.length} long functions, ${folders.length} large folders, ${words.length} words; ${lines} production lines.`,
);
process.exitCode = long.length + folders.length + words.length > 0 ? 1 : 0;
