import "server-only";
import { createSealing } from "@/lib/adapters/crypto/sealing.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createSealedValues } from "@/lib/adapters/db/sealed-values.ts";

/** What became of one column. `unreadable` values open under none of the root keys, or belong to another row. */
export type RotatedColumn = { name: string; resealed: number; unreadable: string[] };

const PAGE = 200;

/**
 * Reseals every secret that is not under the newest root key and bound to its row. Works beside running services:
 * a value that changes meanwhile is left to the next run. Repeating it changes nothing.
 *
 * @param rootKeys newest first, as in `TURNPIKE_SECRET_KEY`.
 * @example const columns = await rotateKeys({ database, rootKeys: [newKey, oldKey] });
 */
export async function rotateKeys({
  database,
  rootKeys,
}: {
  database: Database;
  rootKeys: readonly Uint8Array[];
}): Promise<RotatedColumn[]> {
  const { open, seal, currentPrefix: prefix } = createSealing(rootKeys);
  const values = createSealedValues(database);
  const rotated: RotatedColumn[] = [];
  for (const column of values.columns) {
    const result: RotatedColumn = { name: column.name, resealed: 0, unreadable: [] };
    for (let after = ""; ; ) {
      const page = await values.list(column, { prefix, after, limit: PAGE });
      const replacements = page.flatMap(({ id, row, sealed }) => {
        const place = { purpose: column.purpose, row };
        try {
          return [{ id, sealed, resealed: seal(open(sealed, place), place) }];
        } catch {
          result.unreadable.push(id);
          return [];
        }
      });
      result.resealed += await values.replace(column, replacements);
      after = page.at(-1)?.id ?? after;
      if (page.length < PAGE) break;
    }
    rotated.push(result);
  }
  return rotated;
}
