import "server-only";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Log } from "@/lib/domain/ports.ts";
import type { Handler } from "./http-server.ts";

const run = promisify(execFile);
/** The packages, and their folders below `lib`. */
const FOLDERS: Record<string, string> = {
  "turnpike-payments": "sdk",
  "create-turnpike-agent": "create-turnpike-agent",
};
export const PACKAGES = Object.keys(FOLDERS);
const PATH = /^\/downloads\/([a-z-]+?)(?:-(\d+\.\d+\.\d+))?\.tgz$/;
const TSC = join("node_modules", "typescript/bin/tsc");

/**
 * The repository's npm packages as tarballs, `/downloads/<name>.tgz` and `/downloads/<name>-<version>.tgz`, so that
 * install lines work without a public registry. Each is packed at its first request; other paths go to `pages`, and all
 * do in the folder of `npm run bundle`, which has no sources and has the tarballs among its public files.
 */
export function withDownloads(pages: Handler, log: Log): Handler {
  if (!existsSync(join("lib", "sdk/package.json"))) return pages;
  const packed = new Map<string, Promise<Packed>>();
  const find = (name: string) => {
    const known = packed.get(name);
    if (known) return known;
    const packing = packPackage(name);
    packed.set(name, packing);
    packing.catch(() => packed.delete(name));
    return packing;
  };
  return (request, response) => {
    const [path = "", name = "", version] = PATH.exec(request.url?.split("?", 1)[0] ?? "") ?? [];
    if (!path || !Object.hasOwn(FOLDERS, name)) return pages(request, response);
    find(name)
      .then((found) => {
        if (version && version !== found.version) return answer(response, 404, "Not found.");
        response.setHeader("etag", found.etag);
        const isHead = request.method === "HEAD";
        answer(response, 200, isHead ? null : found.bytes, "application/gzip");
      })
      .catch((error: unknown) => {
        log.error({ err: error }, `${name} could not be packed`);
        answer(response, 503, `${name} could not be packed. The log says why.`);
      });
  };
}

type Packed = { version: string; etag: string; bytes: Buffer };

function answer(
  response: ServerResponse,
  status: number,
  body: string | Buffer | null,
  type = "text/plain",
): void {
  response.writeHead(status, {
    "content-type": type,
    // A changed checkout packs other bytes under the same name.
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
  });
  response.end(body ?? undefined);
}

/** Packs a copy, so that processes of one checkout do not write into each other's build. */
export async function packPackage(name: string): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-download-"));
  try {
    const copy = await copyPackage(join("lib", FOLDERS[name] ?? ""), join(folder, "package"));
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder, copy]);
    const [{ filename, version, shasum }] = JSON.parse(stdout);
    return { version, etag: `"${shasum}"`, bytes: await readFile(join(folder, filename)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A package as it is published: built where its manifest says how, else as it is. */
async function copyPackage(source: string, copy: string): Promise<string> {
  await mkdir(copy);
  const { scripts, ...manifest } = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  await writeFile(join(copy, "package.json"), JSON.stringify(manifest, null, 2));
  const builds = String(scripts?.prepack ?? "").matchAll(/\btsc -p (\S+)/g);
  for (const [, project = ""] of builds) {
    const args = [TSC, "-p", join(source, project), "--outDir", join(copy, "dist")];
    await run(process.execPath, args);
  }
  const isOwn = (path: string) => !/node_modules|dist|package\.json$/.test(path);
  for (const file of scripts ? ["README.md", "CHANGELOG.md"] : ["."]) {
    await cp(join(source, file), join(copy, file), { recursive: true, filter: isOwn });
  }
  return copy;
}
