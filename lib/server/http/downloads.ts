import "server-only";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const FOLDERS: Record<string, string> = {
  "turnpike-payments": "lib/sdk",
  "create-turnpike-agent": "lib/create-turnpike-agent",
};
const PATH = /^\/downloads\/([a-z-]+?)(?:-(\d+\.\d+\.\d+))?\.tgz$/;
const TSC = "node_modules/typescript/bin/tsc";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The repository's npm packages as tarballs, `/downloads/<name>.tgz` and `/downloads/<name>-<version>.tgz`, so that the
 * sandbox's install lines work without a public registry. Each is packed at its first request; other paths go to `pages`.
 */
export function withDownloads(pages: Handler): Handler {
  const packed = new Map<string, Promise<Packed>>();
  const find = (name: string) => {
    const known = packed.get(name);
    if (known) return known;
    const packing = pack(name);
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
      .catch((error: unknown) => answer(response, 503, `${name} could not be packed: ${error}`));
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
async function pack(name: string): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-download-"));
  try {
    const copy = await copyPackage(FOLDERS[name] ?? "", join(folder, "package"));
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
  for (const project of scripts ? ["tsconfig.json", "cli/tsconfig.json"] : []) {
    const args = [TSC, "-p", join(source, project), "--outDir", join(copy, "dist")];
    await run(process.execPath, args);
  }
  const isOwn = (path: string) => !/node_modules|dist|package\.json$/.test(path);
  for (const file of scripts ? ["README.md", "CHANGELOG.md"] : ["."]) {
    await cp(join(source, file), join(copy, file), { recursive: true, filter: isOwn });
  }
  return copy;
}
