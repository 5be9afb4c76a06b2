import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Browsers of Chromium then compile a script's functions while it loads, on another thread; others read a comment. */
export const HINT = "//# allFunctionsCalledOnLoad\n";

/** Marks the scripts that every page loads: React and Next, which need nearly all of their functions at once. */
export async function hintScripts(distDir) {
  const manifest = await readFile(join(distDir, "build-manifest.json"), "utf8");
  await Promise.all(
    JSON.parse(manifest).rootMainFiles.map(async (name) => {
      const path = join(distDir, name);
      const script = await readFile(path, "utf8");
      if (!script.startsWith(HINT)) await writeFile(path, HINT + script);
    }),
  );
}
