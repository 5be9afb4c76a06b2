import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { z } from "zod";

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
