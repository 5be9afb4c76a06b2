// Bundles the service's TypeScript into plain JavaScript, for `npm start` and `npm run bundle`.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";

/** Loaded as they are: they find files beside themselves, or are there twice if Next loads them too. */
const EXTERNAL = [
  "next",
  "pg-native",
  "pdfkit",
  "pino",
  "secp256k1",
  "@electric-sql/pglite",
  "@foundry-rs/anvil",
];

/** The commit of the sources, marked where they differ from it; undefined without git. An image is told it. */
function findCommit() {
  if (process.env.COMMIT) return process.env.COMMIT;
  try {
    const args = ["describe", "--always", "--exclude=*", "--abbrev=12", "--dirty"];
    const stdio = ["ignore", "pipe", "ignore"];
    return execFileSync("git", args, { encoding: "utf8", stdio }).trim();
  } catch {
    return undefined;
  }
}

/**
 * Options of esbuild: one file per entry point, and their chunks, in `outdir`.
 *
 * @param {import("esbuild").BuildOptions} of
 * @returns {import("esbuild").BuildOptions}
 */
export const serviceBuild = (of) => ({
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "bundle",
  external: EXTERNAL,
  outExtension: { ".js": ".mjs" },
  chunkNames: "service/[name]-[hash]",
  tsconfig: "tsconfig.node.json",
  define: {
    "process.env.NODE_ENV": '"production"',
    TURNPIKE_COMMIT: JSON.stringify(findCommit()) ?? "undefined",
  },
  banner: {
    js: 'import { createRequire as __turnpikeRequire } from "node:module"; const require = __turnpikeRequire(import.meta.url);',
  },
  logLevel: "warning",
  ...of,
});

/** Where `npm start` runs the service from, beside the pages that were built with it. */
export const BUILT_SERVICE = ".next/service/main.mjs";
/** Locks of folders, for what runs before the service. */
export const BUILT_LOCK = ".next/service/instance-lock.mjs";

/** Bundles the service with the sandbox into `outdir`. esbuild is loaded late: packages may just have been installed. */
export function buildService(outdir) {
  const { build } = createRequire(import.meta.url)("esbuild");
  return build(
    serviceBuild({
      entryPoints: {
        main: "lib/server/main.ts",
        "boot-alone": "lib/server/boot-alone.ts",
        "instance-lock": "lib/sandbox/instance-lock.ts",
      },
      outdir,
      sourcemap: "linked",
      sourcesContent: false,
    }),
  );
}
