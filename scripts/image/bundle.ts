import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { Command } from "commander";
import { PACKAGES, packPackage } from "@/lib/server/http/downloads.ts";
import { ensureBuilt } from "../ensure.mjs";
import { bundleService, ENTRIES, READ_BY_PATH } from "./bundle-service.ts";
import { stagingOf, writeNewFolder } from "./new-folder.ts";

// `npm run bundle`: everything a live service needs, in a folder that runs with Node alone (ADR 114).
const ROOT = resolve(import.meta.dirname, "../..");
const BUNDLE = join(ROOT, "dist/turnpike");
/** Becomes the bundle once all of it is written. */
const FOLDER = stagingOf(BUNDLE);

/** Tools that only a build needs, and notes for people. Next's own files stay: its server loads some of them by name. */
const UNUSED =
  /node_modules\/(@img|sharp|typescript|esbuild|@next\/swc-[^/]+)\/|\.map$|\.d\.ts$|\.md$/;
/** Parts that replace the outside world in the sandbox. */
const SANDBOX_PARTS = /(^|\/)node_modules\/(@electric-sql|@foundry-rs)\//;

type Trace = { fileList: Set<string> };
type Nft = { nodeFileTrace: (files: string[], options: object) => Promise<Trace> };
const require = createRequire(import.meta.url);
/** The tracer that Next uses for its own pages, so that both agree on what a package needs. */
const { nodeFileTrace } = require("next/dist/compiled/@vercel/nft") as Nft;

/** The files that Next found for each page, and for its server. */
async function tracedByNext(): Promise<string[]> {
  const names = await readdir(".next/server", { recursive: true });
  const lists = names
    .filter((name) => name.endsWith(".nft.json"))
    .map((name) => `.next/server/${name}`);
  const pages = [...lists, ".next/next-server.js.nft.json"].flatMap((list) => {
    const { files } = JSON.parse(readFileSync(list, "utf8")) as { files: string[] };
    return files.map((file) => relative(ROOT, resolve(dirname(list), file)));
  });
  const { files } = JSON.parse(readFileSync(".next/required-server-files.json", "utf8")) as {
    files: string[];
  };
  return [...pages, ...files, ...names.map((name) => `.next/server/${name}`), ".next/BUILD_ID"];
}

async function tracedFromService(): Promise<string[]> {
  const { fileList } = await nodeFileTrace(
    [
      ...Object.keys(ENTRIES).map((name) => join(FOLDER, `${name}.mjs`)),
      "node_modules/next/dist/server/next.js",
    ],
    {
      base: ROOT,
      ignore: (path: string) => UNUSED.test(path) || SANDBOX_PARTS.test(path),
    },
  );
  return [...fileList];
}

/** Next lists whole folders where a path is computed: sources, tests and documents have no use here. */
const isNeeded = (path: string): boolean =>
  /^(node_modules|\.next)\//.test(path) &&
  !UNUSED.test(path) &&
  !SANDBOX_PARTS.test(path) &&
  !/^\.next\/server\/.*\.(wasm|data|gz)$/.test(path) &&
  !/^\.next\/(cache|trace|types|dev|build)(\/|$)/.test(path) &&
  !path.endsWith(".nft.json") &&
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function copy(path: string): void {
  if (!existsSync(path)) return;
  const to = join(FOLDER, path);
  mkdirSync(dirname(to), { recursive: true });
  cpSync(path, to, { recursive: true, verbatimSymlinks: true });
}

function writeStart(): void {
  const { config } = JSON.parse(readFileSync(".next/required-server-files.json", "utf8"));
  writeFileSync(
    join(FOLDER, "server.mjs"),
    `// Written by npm run bundle. Paths in settings are relative to this folder.
process.chdir(import.meta.dirname);
process.env.NODE_ENV = "production";
process.env.NEXT_TELEMETRY_DISABLED = "1";
process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = ${JSON.stringify(JSON.stringify(config))};
await import("./service.mjs");
`,
  );
  writeFileSync(join(FOLDER, "package.json"), '{ "private": true, "type": "module" }\n');
}

function sizeOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

async function writeBundle(): Promise<void> {
  await ensureBuilt();
  await bundleService(FOLDER);
  const files = new Set([...(await tracedByNext()), ...(await tracedFromService())]);
  for (const file of [...files].filter(isNeeded)) copy(file);
  for (const path of READ_BY_PATH) copy(path);
  await writeDownloads(join(FOLDER, "public/downloads"));
  writeStart();
}

process.chdir(ROOT);
const program = new Command("npm run bundle")
  .description(
    "Writes everything a live service needs into dist/turnpike, a folder that runs with Node alone, and builds the pages first where they changed. Never replaces a folder that exists.",
  )
  .parse();
await writeNewFolder(BUNDLE, writeBundle).catch(({ message }: Error) => program.error(message));
console.log(
  `dist/turnpike: ${Math.round(sizeOf(BUNDLE) / 1e6)} MB. Move it to where the service runs, and start it there with: node --max-semi-space-size=64 server.mjs`,
);

/** The npm packages as files: the folder has no sources to pack them from. */
async function writeDownloads(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of PACKAGES) {
    const { bytes } = await packPackage(name);
    await writeFile(join(folder, `${name}.tgz`), bytes);
  }
}
