import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder } from "@/lib/testing/temp-folder.ts";
import { runnableBinaries } from "./runnable-binaries.ts";

/** A package of Postgres in a clone. */
function writePackage(clone: string, initdb: string, name = "native"): string {
  const bin = join(clone, name, "bin");
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(clone, name, "lib"));
  writeFileSync(join(clone, name, "lib/version"), "15");
  writeFileSync(join(bin, "initdb"), initdb, { mode: 0o755 });
  return bin;
}

const WORKS = `#!/bin/sh\nexec cat "$(dirname "$0")/../lib/version"\n`;

test("binaries that the servers' user can run are used where they are", () =>
  inFolder(async (clone) => {
    const bin = writePackage(clone, WORKS);
    expect(runnableBinaries(bin, clone, {})).toBe(bin);
  }));

test("binaries that do not run at all are none", () =>
  inFolder((clone) =>
    inFolder(async (folder) => {
      const broken = "#!/no/such/program\n";
      expect(runnableBinaries(writePackage(clone, broken), folder, {})).toBeNull();
      expect(readdirSync(folder)).toEqual(["package"]);
    }),
  ));

test("a folder on the path is never copied", () =>
  inFolder((home) =>
    inFolder(async (folder) => {
      const broken = "#!/no/such/program\n";
      expect(runnableBinaries(writePackage(home, broken, "own"), folder, {})).toBeNull();
      expect(readdirSync(folder)).toEqual([]);
    }),
  ));

test.skipIf(process.getuid?.() !== 0)(
  "binaries in a clone that only root may enter are copied to where the servers' user can run them",
  () =>
    inFolder((clone) =>
      inFolder(async (folder) => {
        const bin = writePackage(clone, WORKS);
        chmodSync(clone, 0o700);
        chmodSync(folder, 0o755);
        const [uid, gid] = ["-u", "-g"].map((flag) =>
          Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" })),
        ) as [number, number];
        const found = runnableBinaries(bin, folder, { uid, gid }) ?? "";
        expect(found.startsWith(folder)).toBe(true);
        const run = { uid, gid, cwd: "/", encoding: "utf8" as const };
        expect(execFileSync(join(found, "initdb"), ["--version"], run)).toBe("15");
      }),
    ),
);
