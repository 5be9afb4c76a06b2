import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Runs a program to its end; what it printed, and its status. Its errors are shown only when they are asked for. */
export function runTool(
  folder: string,
  [command = "", ...args]: string[],
  env: Record<string, string> = {},
): { status: number; output: string } {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, ...env },
  });
  return { status: status ?? 1, output: status === 0 ? stdout : `${stdout}${stderr}` };
}

/** Installs npm packages into a folder of their own, without running their scripts. Throws npm's error. */
export async function installTools(folder: string, manifest: object): Promise<void> {
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps"];
  const { status, output } = runTool(folder, ["npm", "install", ...flags]);
  if (status !== 0) throw new Error(output.slice(-2_000));
}
