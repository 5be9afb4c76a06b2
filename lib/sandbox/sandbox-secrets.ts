import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { newSecretKey } from "@/lib/server/env.ts";

const Key = z.string().regex(/^[0-9a-f]{64}$/);
const Secrets = z.object({ secretKey: Key, settlerPrivateKey: Key });

/** The sandbox's secrets, stored with its data. */
export const loadSandboxSecrets = (dataDir: string): z.output<typeof Secrets> =>
  keepSecrets(join(dataDir, "secrets.json"), Secrets, () => ({
    secretKey: newSecretKey(),
    settlerPrivateKey: newSecretKey(),
  }));

/**
 * Secrets that are created once and stored in a file that only its owner can read. Throws if the file is damaged,
 * because new secrets would make the existing data unreadable.
 */
export function keepSecrets<Kept>(
  path: string,
  schema: z.ZodType<Kept>,
  create: () => NoInfer<Kept>,
): Kept {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, `${JSON.stringify(create(), null, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
  const text = readFileSync(path, "utf8");
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Error(
      `${path} is damaged. Restore it, or remove the folder to start an empty sandbox.`,
    );
  }
}
