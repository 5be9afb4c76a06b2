import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PACKAGES, packPackage } from "@/lib/server/http/downloads.ts";

/** The npm packages as files: the folder has no sources to pack them from. */
export async function writeDownloads(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of PACKAGES) {
    const { bytes } = await packPackage(name);
    await writeFile(join(folder, `${name}.tgz`), bytes);
  }
}
