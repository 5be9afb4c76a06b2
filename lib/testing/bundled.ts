import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { buildSync } from "esbuild";

const bundles = new Map<string, string>();
let folder: string | undefined;

/**
 * A TypeScript program as one JavaScript file, bundled once for the tests of a process: starting it takes a fraction of the
 * processor time of starting its sources. It finds packages in the repository's `node_modules`.
 */
export function bundled(entry: string): string {
  const known = bundles.get(entry);
  if (known) return known;
  const outfile = join(bundleFolder(), `${bundles.size}-${basename(entry, ".ts")}.mjs`);
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    tsconfig: "tsconfig.node.json",
    logLevel: "error",
  });
  bundles.set(entry, outfile);
  return outfile;
}

/** Removes what the children of this process bundled: those of a run of tests are killed at its end. */
export function removeBundles(): void {
  for (const name of readdirSync(tmpdir())) {
    if (name.startsWith(`${PREFIX}${process.pid}-`)) {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    }
  }
}

const PREFIX = "turnpike-bundled-";

function bundleFolder(): string {
  if (folder) return folder;
  const made = mkdtempSync(join(tmpdir(), `${PREFIX}${process.ppid}-`));
  symlinkSync(resolve("node_modules"), join(made, "node_modules"), "junction");
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  folder = made;
  return made;
}
