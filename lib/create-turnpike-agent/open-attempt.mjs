import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Its random text is kept while the outcome of a registration is unknown, so that a second run finds what the first one registered. */
export const NONCE_FILE = ".turnpike-create";

export async function openAttempt(folder) {
  const isNew = (await mkdir(folder, { recursive: true })) !== undefined;
  const file = join(folder, NONCE_FILE);
  const kept = await readFile(file, "utf8").catch(() => "");
  const seed = kept || randomBytes(16).toString("hex");
  await writeFile(file, seed);
  return {
    /** Names a registration: the same one has the same nonce in every run, and one with other options its own. */
    nonceOf(registration) {
      const hash = createHash("sha256").update(JSON.stringify([seed, registration]));
      return BigInt(`0x${hash.digest("hex").slice(0, 32)}`).toString();
    },
    /** A refusal leaves the folder as it was: an earlier run's file too, as that run may have registered something. */
    async end({ isRefused = false } = {}) {
      if (isRefused && kept) return;
      await rm(file, { force: true });
      if (isRefused && isNew) await rmdir(folder).catch(() => {});
    },
  };
}
