import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Names the registration while its outcome is unknown, so that a second run finds what the first one registered. */
export const NONCE_FILE = ".turnpike-create";

export async function openAttempt(folder) {
  const isNew = (await mkdir(folder, { recursive: true })) !== undefined;
  const file = join(folder, NONCE_FILE);
  const kept = await readFile(file, "utf8").catch(() => "");
  const nonce = kept || BigInt(`0x${randomBytes(16).toString("hex")}`).toString();
  await writeFile(file, nonce);
  return {
    nonce,
    /** A refusal leaves the folder as it was: an earlier run's nonce too, as that run may have registered something. */
    async end({ isRefused = false } = {}) {
      if (isRefused && kept) return;
      await rm(file, { force: true });
      if (isRefused && isNew) await rmdir(folder).catch(() => {});
    },
  };
}
