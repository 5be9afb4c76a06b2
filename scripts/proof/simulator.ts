import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Command } from "commander";
import { startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import type { Chapter, ChapterOrder, ChapterResult } from "./simulator/chapter.ts";
import { openKeptChapters } from "./simulator/kept-chapters.ts";

const program = new Command("node scripts/proof/simulator.ts")
  .description(
    "Simulates the ledger on Postgres. Stop it and start it again: it goes on where it was, unless the code has changed.",
  )
  .option("--seeds <n>", "how many seeds", "20")
  .option("--from <seed>", "the first seed", "1")
  .option("--operations <n>", "operations of one seed", "1000000")
  .option("--workers <n>", "processes that simulate at once", "2")
  .option("--minutes <n>", "start nothing more after so many minutes")
  .option("--keep <file>", "where finished chapters are kept", "docs/simulator.txt")
  .parse();
const options = program.opts<Record<string, string>>();
const deadline = Date.now() + Number(options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
// The rules are checked over whole tables, so a seed runs in chapters on separate databases.
const CHAPTER = 100_000;

const seeds = Array.from({ length: Number(options.seeds) }, (_, at) => Number(options.from) + at);
const chapters = seeds.flatMap(chaptersOf);
const kept = await openKeptChapters(options.keep ?? "");
const seen = new Set(chapters.filter(kept.has));
const faults: string[] = [];
const before = operationsOf(seen);
if (before > 0) console.log(`${before} operations were seen by earlier runs of this code`);

const cluster = await startPostgres();
if (!cluster) program.error("There is no Postgres on this machine.");
else {
  const running = new Set<ChildProcess>();
  let isStopped = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      isStopped = true;
      for (const worker of running) worker.kill("SIGKILL");
    });
  }
  const start = Date.now();
  const left = chapters.filter((chapter) => !seen.has(chapter));
  const work = async () => {
    for (let next = left.shift(); next && !isStopped; next = left.shift()) {
      if (Date.now() > deadline) return;
      const name = `seed_${next.seed}_${next.chapter}`;
      const url = cluster.bySocket(await cluster.createDatabase(name));
      const result = await runChapter({ ...next, url }, running);
      if (!result) {
        if (!isStopped) faults.push(`seed ${next.seed}, chapter ${next.chapter}: ended early`);
        continue;
      }
      kept.add(result);
      seen.add(next);
      faults.push(...result.faults);
      const secs = (Date.now() - start) / 1_000;
      const rate = Math.round((operationsOf(seen) - before) / secs);
      console.log(
        `seed ${next.seed}, chapter ${next.chapter}: ${operationsOf(seen)} operations so far, ${Math.round(secs)} s, ${rate}/s, ${faults.length} faults`,
      );
    }
  };
  try {
    await Promise.all(Array.from({ length: Number(options.workers) }, work));
  } finally {
    await cluster.stop();
  }
  for (const fault of faults) console.error(fault);
  const whole = seeds.filter((seed) => ![...missing()].some((chapter) => chapter.seed === seed));
  console.log(`seeds seen whole: ${whole.join(", ") || "none"} of ${seeds.join(", ")}`);
  console.log(
    `simulator: ${operationsOf(seen)} operations, ${whole.length} seeds, ${faults.length} broken`,
  );
  if (faults.length > 0 || isStopped) process.exitCode = 1;
}

function chaptersOf(seed: number): Chapter[] {
  const operations = Number(options.operations);
  return Array.from({ length: Math.ceil(operations / CHAPTER) }, (_, at) => {
    const left = operations - at * CHAPTER;
    return { seed, chapter: Math.ceil(left / CHAPTER), operations: Math.min(left, CHAPTER) };
  });
}

function missing(): Chapter[] {
  return chapters.filter((chapter) => !seen.has(chapter));
}

function operationsOf(some: Iterable<Chapter>): number {
  return [...some].reduce((sum, { operations }) => sum + operations, 0);
}

/** Runs a chapter in a separate process, whose memory ends with it; null when it ends without a result. */
async function runChapter(
  order: ChapterOrder,
  running: Set<ChildProcess>,
): Promise<ChapterResult | null> {
  const worker = fork(new URL("simulator/chapter.ts", import.meta.url), {
    // Rounds of many small objects: a larger young generation halves what the garbage collector takes.
    execArgv: [...process.execArgv, "--max-semi-space-size=64"],
  });
  running.add(worker);
  worker.send(order);
  let result: ChapterResult | null = null;
  worker.once("message", (message) => {
    result = message as ChapterResult;
    worker.disconnect();
  });
  await once(worker, "exit");
  running.delete(worker);
  return result;
}
