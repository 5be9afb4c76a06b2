import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const SNIPPETS = ["--import", "./scripts/typescript.mjs", "scripts/proof/snippets/run.ts"];

// Starts some forty processes. The documents, which install packages of others, are left to `npm run proof -- snippets`.
test.runIf(process.env.TURNPIKE_SANDBOX_JSON)(
  "samples of pages run as printed, and every block of a document says how it is run",
  async () => {
    const { stdout } = await run(process.execPath, SNIPPETS).catch((failed) => failed);
    expect(stdout).toMatch(/snippets: \d+ run on 1 Node versions .*, 0 broken/);
  },
  180_000,
);
