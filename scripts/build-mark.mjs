import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Everything that the pages and the service are built from. */
export const SOURCES = [
  "app",
  "components",
  "lib",
  "public",
  "instrumentation-client.ts",
  "next.config.mjs",
  "package-lock.json",
  "package.json",
  "postcss.config.mjs",
  "proxy.ts",
  "scripts/build-service.mjs",
  "scripts/compress-static.mjs",
  "scripts/hint-scripts.mjs",
  "tsconfig.json",
  "tsconfig.node.json",
];
/** Among them what editors and tests leave beside the sources for a while. */
const NOT_SOURCE = /^(\.(?!well-known$)|node_modules$|dist$)|\.test\.tsx?$/;

/** Written last, so that a build which was interrupted has none. */
const MARK = ".next/turnpike-build";

/** What the sources are now: the path, size and time of each file. */
export function hashSources() {
  const hash = createHash("sha256");
  const add = (path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isDirectory()) return hash.update(`${path} ${stat?.size} ${stat?.mtimeMs}\n`);
    for (const name of readdirSync(path).sort()) if (!NOT_SOURCE.test(name)) add(join(path, name));
  };
  for (const path of SOURCES) add(path);
  return hash.digest("hex");
}

/** Whether what is in `.next` was built from these sources, to its end. */
export const isBuilt = (sources) => read(MARK) === markOf(sources);

export const markBuilt = (sources) => writeFileSync(MARK, markOf(sources));

export const unmarkBuilt = () => rmSync(MARK, { force: true });

/** Each build of the pages has another id: a mark says nothing of a later one. */
const markOf = (sources) => `${sources} ${read(".next/BUILD_ID")}`;

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
