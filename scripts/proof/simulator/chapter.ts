import { openDatabase } from "@/lib/adapters/db/client.ts";
import { simulate } from "@/lib/domain/permissions/testing/simulator/simulate.ts";

/** A part of a seed, on a separate database. */
export type Chapter = { seed: number; chapter: number; operations: number };

/** A chapter with its empty database, as the parent process sends it. */
export type ChapterOrder = Chapter & { url: string };

export type ChapterResult = Chapter & { faults: string[]; digest: string };

const ACTORS = 96;

// A parent that is killed cannot stop its workers.
process.on("disconnect", () => process.exit());
process.on("message", async ({ url, ...chapter }: ChapterOrder) => {
  const { seed, operations } = chapter;
  const database = await openDatabase({ url, poolSize: 8, patience: 20 });
  const found = await simulate(database, {
    seed: seed * 1_000 + chapter.chapter,
    operations,
    actors: ACTORS,
  });
  await database.close();
  const { faults, digest } = found;
  process.send?.({ ...chapter, operations: found.operations, faults, digest });
});
