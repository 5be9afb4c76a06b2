import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The folder of the npm package with binaries, libraries and data. */
const PACKAGE = "native";

type Identity = { uid?: number; gid?: number };

/**
 * The folder of binaries, or a copy of its package in `folder`, where the servers' user can run them: that user cannot enter
 * a clone under `/root`. Null where it can run neither.
 */
export function runnableBinaries(bin: string, folder: string, identity: Identity): string | null {
  if (canRun(bin, identity)) return bin;
  // Any other place has more in it than Postgres.
  if (basename(dirname(bin)) !== PACKAGE) return null;
  const copy = join(folder, "package");
  // With the libraries and data that they look for beside them.
  cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  if (identity.uid !== undefined) {
    execFileSync("chown", ["-R", `${identity.uid}:${identity.gid}`, copy]);
  }
  const copied = join(copy, basename(bin));
  return canRun(copied, identity) ? copied : null;
}

function canRun(bin: string, identity: Identity): boolean {
  try {
    execFileSync(join(bin, "initdb"), ["--version"], { ...identity, cwd: "/", stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
