import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { buildOpenApi, type Operations, operations } from "@turnpike/payments/protocol";
import { consoleOperations } from "@/lib/console/operations.ts";
import { inFolder } from "@/lib/testing/temp-folder.ts";
import { installTools, runTool } from "./run-tool.ts";

// Linters and generators of others on the documents that the service serves.
const TOOLS = {
  "@redocly/cli": "2.77.0",
  "@stoplight/spectral-cli": "6.16.3",
  "openapi-typescript": "7.13.0",
  "@hey-api/openapi-ts": "0.99.0",
  typescript: "5.9.3",
};

type Lint = { problems: number; told: string };

/** Each linter prints its problems as JSON, which may stand between other lines. */
function readLint(output: string, opening: "{" | "["): Lint {
  const [from, to] = [output.indexOf(opening), output.lastIndexOf(opening === "{" ? "}" : "]")];
  const json: unknown = JSON.parse(output.slice(from, to + 1));
  const problems = Array.isArray(json) ? json : (json as { problems: unknown[] }).problems;
  return { problems: problems.length, told: JSON.stringify(problems.slice(0, 5)) };
}

function lint(folder: string, path: string): Lint[] {
  const redocly = ["npx", "redocly", "lint", path, "--config", "redocly.yaml", "--format=json"];
  const spectral = ["npx", "spectral", "lint", path, "-f", "json", "-r", ".spectral.yaml"];
  return [
    readLint(runTool(folder, redocly).output, "{"),
    readLint(runTool(folder, spectral).output, "["),
  ];
}

/** Generates both clients of a document; the files to compile. */
function generate(folder: string, path: string): string[] {
  const name = basename(path, ".json");
  const typed = `types-${name}.ts`;
  const client = `client-${name}`;
  for (const command of [
    ["npx", "openapi-typescript", path, "-o", typed],
    ["npx", "openapi-ts", "-i", path, "-o", client],
  ]) {
    const { status, output } = runTool(folder, command);
    if (status !== 0) throw new Error(output.slice(-2_000));
  }
  return [typed, `${client}/index.ts`];
}

async function prove(folder: string): Promise<boolean> {
  await installTools(folder, { type: "module", dependencies: TOOLS });
  await writeFile(join(folder, "redocly.yaml"), "extends: [recommended-strict]\n");
  await writeFile(join(folder, ".spectral.yaml"), 'extends: ["spectral:oas"]\n');
  const documents = await writeDocuments(folder);
  const lints = documents.flatMap((path) => lint(folder, path));
  for (const { problems, told } of lints) if (problems > 0) console.log(told);
  const found = lints.reduce((sum, { problems }) => sum + problems, 0);
  const files = documents.flatMap((path) => generate(folder, path));
  const strict = ["--strict", "--noEmit", "--skipLibCheck", "--target", "es2022"];
  const modules = ["--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2022,dom"];
  const compiled = files.filter((file) => {
    const { status, output } = runTool(folder, ["npx", "tsc", ...strict, ...modules, file]);
    if (status !== 0) console.log(output.slice(0, 2_000));
    return status === 0;
  });
  console.log(
    `openapi: ${documents.length} documents, ${found} problems, ${compiled.length} of ${files.length} generated clients compile`,
  );
  return found === 0 && compiled.length === files.length;
}

if (!(await inFolder(prove))) process.exitCode = 1;

/** Writes the OpenAPI documents of the protocol and of the dashboard, as a deployment serves them. */
async function writeDocuments(folder: string): Promise<string[]> {
  const tables: Record<string, Operations> = { protocol: operations, console: consoleOperations };
  await mkdir(folder, { recursive: true });
  return Promise.all(
    Object.entries(tables).map(async ([name, rows]) => {
      const origin = "https://turnpike.test";
      const document = buildOpenApi({ origin, version: "0.1.0", operations: rows });
      const path = join(folder, `${name}.json`);
      await writeFile(path, JSON.stringify(document));
      return path;
    }),
  );
}
