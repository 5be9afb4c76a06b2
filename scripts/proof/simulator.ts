import { Command } from "commander";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { simulate } from "@/lib/domain/permissions/testing/simulator/simulate.ts";

const program = new Command("node scripts/proof/simulator.ts")
  .description(
    "Simulates the ledger on Postgres. Seeds are independent: stop it, and go on with --from.",
  )
  .option("--seeds <n>", "how many seeds", "20")
  .option("--from <seed>", "the first seed", "1")
  .option("--operations <n>", "operations of one seed", "1000000")
  .parse();
const { seeds, from, operations } = program.opts<Record<string, string>>();
// The rules are checked over whole tables, so a seed is told in chapters on databases of their own.
const CHAPTER = 100_000;

const cluster = await startPostgres();
if (!cluster) program.error("There is no Postgres on this machine.");
else {
  let done = 0;
  const faults: string[] = [];
  try {
    for (let seed = Number(from); seed < Number(from) + Number(seeds); seed++) {
      const start = Date.now();
      for (let left = Number(operations); left > 0; left -= CHAPTER) {
        const chapter = Math.ceil(left / CHAPTER);
        const url = await cluster.createDatabase(`seed_${seed}_${chapter}`);
        const database = await openDatabase({ url, poolSize: 8, patience: 20 });
        const found = await simulate(database, {
          seed: seed * 1_000 + chapter,
          operations: Math.min(left, CHAPTER),
          actors: 96,
        });
        await database.close();
        done += found.operations;
        faults.push(...found.faults);
        const secs = Math.round((Date.now() - start) / 1000);
        console.log(
          `seed ${seed}: ${done} operations so far, ${secs} s, ${found.faults.length} faults`,
        );
      }
    }
  } finally {
    await cluster.stop();
  }
  for (const fault of faults) console.error(fault);
  console.log(`simulator: ${done} operations, ${seeds} seeds, ${faults.length} broken`);
  if (faults.length > 0) process.exitCode = 1;
}
