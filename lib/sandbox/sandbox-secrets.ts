import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { newSecretKey } from "@/lib/server/env.ts";

const Key = z.string().regex(/^[0-9a-f]{64}$/);
const Secrets = z.object({ secretKey: Key, settlerPrivateKey: Key });
export type SandboxSecrets = z.output<typeof Secrets>;

/**
 * The sandbox's secrets, created once and stored with its data, readable by their owner only. Throws if the file is
 * damaged, because new keys would make the existing data unreadable.
 */
export function loadSandboxSecrets(dataDir: string): SandboxSecrets {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "secrets.json");
  const text = readIfThere(path);
  if (text !== null) {
    const parsed = Secrets.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    throw new Error(
      `${path} is damaged. Restore it, or remove the folder to start an empty sandbox.`,
    );
  }
  const secrets = { secretKey: newSecretKey(), settlerPrivateKey: newSecretKey() };
  writeFileSync(`${path}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return secrets;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw cause;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
