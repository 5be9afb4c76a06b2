import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";

const folder = fileURLToPath(new URL(".", import.meta.url));
const ENTRIES = ["protocol", "gate", "x402", "mcp", "a2a", "tracing", "metrics"];
const alias = Object.fromEntries([
  ...ENTRIES.map((name) => [`@turnpike/payments/${name}`, `${folder}${name}/index.ts`]),
  ["@turnpike/payments", `${folder}index.ts`],
]);

/** The minified bundle of a module, and which files of the package it holds. */
async function bundleByEsbuild(code: string) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: folder },
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    metafile: true,
    alias,
  });
  const [output] = Object.values(metafile.outputs);
  const files = Object.entries(output?.inputs ?? {})
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => file);
  return { code: outputFiles[0]?.text ?? "", files };
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
  return { code: output[0].code };
}

const kilobytes = (code: string) => gzipSync(code).length / 1000;

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
    const { code } = await bundle(`export { ${names} } from ${JSON.stringify(entry)};`);
    const size = kilobytes(code);
    console.log(`bundle: ${bundler}: { ${names} } from ${entry}: ${size.toFixed(1)} KB`);
    expect(code).toContain(names.split(",")[0]);
    expect(size).toBeLessThanOrEqual(bar);
  });
});

/** The parts of the package that each entry point builds on. */
const PARTS: Record<string, string[]> = {
  protocol: [],
  gate: ["client", "protocol"],
  x402: ["client", "protocol"],
  mcp: ["client", "protocol", "gate", "in-band"],
  a2a: ["client", "protocol", "gate", "in-band"],
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
