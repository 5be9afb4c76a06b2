import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { GATE_SNIPPET } from "./gate-snippet.ts";

const ROOT = join(import.meta.dirname, "../..");
const TSC = join(
  dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin/tsc",
);

test("the gate on the landing page is ten lines that compile against the SDK", async () => {
  expect(GATE_SNIPPET.split("\n")).toHaveLength(10);
  const folder = await mkdtemp(join(ROOT, "components/landing/.gate-snippet-"));
  try {
    await writeFile(join(folder, "route.ts"), GATE_SNIPPET);
    await writeFile(
      join(folder, "agent.ts"),
      `export const answer = async (request: Request) => Response.json(await request.json());`,
    );
    const config = { extends: "../../../tsconfig.json", include: ["*.ts"] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const compile = promisify(execFile)(process.execPath, [TSC, "--noEmit", "-p", folder]);
    await expect(compile).resolves.toMatchObject({ stdout: "" });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);
