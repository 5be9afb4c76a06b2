import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PageSnippet } from "./page-snippets.ts";
import { payServer, type Reader } from "./run-document.ts";
import { openTerminal } from "./terminal.ts";

const INSTALL = /^\/\/ (npm install .*)$/m;

/** Runs snippets of pages, each as it is copied, in one folder with what their first lines install. Returns what failed. */
export async function runPages(
  snippets: readonly PageSnippet[],
  reader: Reader,
): Promise<string[]> {
  const terminal = openTerminal(reader.folder, reader.env);
  const installs = new Set(snippets.flatMap(({ code }) => INSTALL.exec(code)?.[1] ?? []));
  await terminal.run(`npm init -y\n${[...installs].join("\n")}`);
  const broken: string[] = [];
  try {
    for (const [at, snippet] of snippets.entries()) {
      const { name, language, code, way } = snippet;
      try {
        const file = `snippet-${at}.${{ js: "mjs", sh: "sh", python: "py" }[language]}`;
        await writeFile(join(reader.folder, file), code);
        const program = { js: "node", sh: "sh -e", python: reader.env.PYTHON ?? "" }[language];
        if (way === "pay") {
          await terminal.serve(`${program} ${file}`, reader.port);
          await payServer(reader);
          await terminal.stop(reader.port);
        } else if (way === "check") {
          await terminal.run(language === "js" ? `node --check ${file}` : `sh -n ${file}`);
        } else requireSuccess(await terminal.run(`${program} ${file}`));
      } catch (cause) {
        await terminal.stop(reader.port);
        broken.push(`${name} (${language}): ${(cause as Error).message}`);
      }
    }
  } finally {
    await terminal.stop(reader.port);
  }
  return broken;
}

/** A command that prints what the service refused has ended well all the same. */
function requireSuccess(printed: string): void {
  const refused = /"code":"(\w+)","message":"([^"]*)"|^HTTP\/1\.1 [45]\d\d.*$/m.exec(printed);
  if (refused) throw new Error(`was refused: ${refused[0]}`);
}
