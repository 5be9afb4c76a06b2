import { isGenerated } from "./files.ts";

/** Files that list the words themselves. */
const WORD_LISTS = new Set(["scripts/house/voice.ts", "lib/house.test.ts"]);

/** Whether people read a file: code with its comments, prose, and the package's own pages. */
export const hasVoice = (path: string): boolean =>
  /\.(?:tsx?|mjs|sql|sol|md|html|txt|example)$/.test(path) &&
  !isGenerated(path) &&
  !WORD_LISTS.has(path) &&
  path !== "LICENSE";
