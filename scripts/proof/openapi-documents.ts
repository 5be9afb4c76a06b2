import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildOpenApi, type Operations, operations } from "@turnpike/payments/protocol";
import { consoleOperations } from "@/lib/console/operations.ts";

/** Writes the OpenAPI documents of the protocol and of the dashboard, as a deployment serves them. */
export async function writeDocuments(folder: string): Promise<string[]> {
  const tables: Record<string, Operations> = { protocol: operations, console: consoleOperations };
  await mkdir(folder, { recursive: true });
  return Promise.all(
    Object.entries(tables).map(async ([name, rows]) => {
      const origin = "https://turnpike.test";
      const document = buildOpenApi({ origin, version: "0.1.0", operations: rows });
      const path = join(folder, `${name}.json`);
      await writeFile(path, JSON.stringify(document));
      return path;
    }),
  );
}
