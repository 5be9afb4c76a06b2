import { writeFileSync } from "node:fs";
import {
  FUNCTION_FOLDER,
  firstLineOf,
  readFunctionFiles,
} from "@/lib/adapters/db/function-files.ts";

// Raises the version of every function file whose content changed since it was stamped.
for (const file of readFunctionFiles()) {
  if (file.isStamped) continue;
  const next = { ...file, version: file.version + 1 };
  writeFileSync(`${FUNCTION_FOLDER}/${file.name}`, firstLineOf(next) + file.sql);
  console.log(`${file.name}: version ${next.version}`);
}
