import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";

const folder = fileURLToPath(new URL(".", import.meta.url));
const ENTRIES = ["protocol", "gate", "x402", "mcp", "a2a", "cli", "tracing", "metrics"];
const alias = Object.fromEntries([
  ...ENTRIES.map((name) => [`@turnpike/payments/${name}`, `${folder}${name}/index.ts`]),
  ["@turnpike/payments", `${folder}index.ts`],
]);

/** The minified entry with every chunk it needs before it runs, and which files of the package they hold. */
async function bundleByEsbuild(code: string) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: folder, sourcefile: "entry.ts" },
    absWorkingDir: folder,
    outdir: "out",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    write: false,
    metafile: true,
    alias,
  });
  const { outputs } = metafile;
  const entry = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === "entry.ts");
  const chunks = withImports(entry ?? "", (name) =>
    (outputs[name]?.imports ?? [])
      .filter(({ kind }) => kind === "import-statement")
      .map(({ path }) => path),
  );
  const files = chunks
    .flatMap((name) => Object.entries(outputs[name]?.inputs ?? {}))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => file);
  const texts = chunks.map(
    (name) => outputFiles.find(({ path }) => path === join(folder, name))?.text ?? "",
  );
  return { texts, files };
}

async function bundleByRolldown(code: string) {
  const bundle = await rolldown({
    input: "entry",
    cwd: folder,
    resolve: { alias },
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === "entry" ? `${folder}entry.ts` : null),
        load: (id) => (id === `${folder}entry.ts` ? code : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const importsOf = (name: string) => {
    const chunk = chunks.get(name);
    return chunk?.type === "chunk" ? chunk.imports : [];
  };
  const texts = withImports(output[0].fileName, importsOf).map((name) => {
    const chunk = chunks.get(name);
    return chunk?.type === "chunk" ? chunk.code : "";
  });
  return { texts };
}

/** A chunk and those it imports statically, through any number of others. */
function withImports(entry: string, importsOf: (name: string) => string[]): string[] {
  const found = new Set([entry]);
  for (const name of found) for (const next of importsOf(name)) found.add(next);
  return [...found];
}

// Together, because an application's bundler chooses where its chunks end.
const kilobytes = (texts: string[]) => gzipSync(texts.join("\n")).length / 1000;

const GATE_BAR = 45;

describe.each([
  ["esbuild", bundleByEsbuild, GATE_BAR],
  ["rolldown", bundleByRolldown, GATE_BAR],
])("minified by %s and gzipped", (bundler, bundle, gateBar) => {
  test.each([
    ["createGate, Payments", "@turnpike/payments", gateBar],
    ["decodeAccessToken", "@turnpike/payments", 20],
    ["decodeAccessToken", "@turnpike/payments/protocol", 20],
  ])("{ %s } from %s is at most %d KB", async (names, entry, bar) => {
    const { texts } = await bundle(`export { ${names} } from ${JSON.stringify(entry)};`);
    const size = kilobytes(texts);
    console.log(`bundle: ${bundler}: { ${names} } from ${entry}: ${size.toFixed(1)} KB`);
    expect(texts.join()).toContain(names.split(",")[0]);
    expect(size).toBeLessThanOrEqual(bar);
  });
});

test("the entry leaves out operations that are loaded at their first call", async () => {
  const { files } = await bundleByEsbuild(`export { Payments } from "@turnpike/payments";`);
  expect(files).toContain("protocol/operations/plan-reads.ts");
  expect(files).not.toContain("protocol/operations/api-keys.ts");
  expect(files).not.toContain("protocol/operations/refunds.ts");
  expect(files).not.toContain("protocol/operations/examples.ts");
});

/** The parts of the package that each entry point builds on. */
const PARTS: Record<string, string[]> = {
  protocol: [],
  gate: ["client", "protocol"],
  x402: ["client", "protocol"],
  mcp: ["client", "protocol", "gate", "in-band"],
  a2a: ["client", "protocol", "gate", "in-band"],
  cli: ["client", "protocol"],
  tracing: [],
  metrics: [],
};

test.each(ENTRIES)("%s brings no other entry point with it", async (name) => {
  const { files } = await bundleByEsbuild(`export * from "@turnpike/payments/${name}";`);
  const parts = new Set(
    files.filter((file) => file.includes("/")).map((file) => file.split("/")[0]),
  );
  parts.delete("..");
  expect([...parts].filter((part) => part !== name && !PARTS[name]?.includes(part ?? ""))).toEqual(
    [],
  );
  if (name !== "gate")
    expect(files.filter((file) => /^gate\/(adapters|app)\//.test(file))).toEqual([]);
});
