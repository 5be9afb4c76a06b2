import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { gatingSamples } from "./gating-code.ts";

const ROOT = join(import.meta.dirname, "../..");
const TSC = join(
  dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin/tsc",
);

test("the code an agent's page shows compiles against the SDK", async () => {
  const samples = gatingSamples({
    agentId: "7",
    planIds: ["42", "43"],
    routes: [
      { verb: "POST", url: "https://agent.example/ask/:id" },
      { verb: "GET", url: "/files/{name}" },
    ],
    credits: "2",
    environment: "sandbox",
    origin: "http://localhost:3000",
  });
  const folder = await mkdtemp(join(ROOT, "components/agents/.gating-code-"));
  try {
    for (const { language, code } of samples.filter((sample) => sample.language !== "curl")) {
      await writeFile(join(folder, `${language}.ts`), `${code}\nexport {};\n`);
    }
    const config = { extends: "../../../tsconfig.json", include: ["*.ts"] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const compile = promisify(execFile)(process.execPath, [TSC, "--noEmit", "-p", folder]);
    await expect(compile).resolves.toMatchObject({ stdout: "" });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
