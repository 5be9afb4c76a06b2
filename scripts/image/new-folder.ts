import { existsSync, renameSync, rmSync } from "node:fs";

/** Where a folder is written before it is whole. */
export const stagingOf = (folder: string): string => `${folder}.new`;

/**
 * Writes a folder that appears once all of it is there, and that never replaces another: people keep settings beside what
 * was written, and a service that runs from there loads files late.
 *
 * @example await writeNewFolder("dist/turnpike", async (staging) => writeFileSync(`${staging}/server.mjs`, text));
 */
export async function writeNewFolder(
  folder: string,
  write: (staging: string) => Promise<void>,
): Promise<void> {
  if (existsSync(folder)) {
    throw new Error(
      `${folder} exists. It may hold settings, and a service may run from it, so it is not replaced. Move it to where the service runs, or remove it, and run this again.`,
    );
  }
  const staging = stagingOf(folder);
  rmSync(staging, { recursive: true, force: true });
  await write(staging);
  renameSync(staging, folder);
}
