// Two replicas on a primary with a synchronous standby, under paid calls, through failovers, freezes and full disks.
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { Command } from "commander";
import { subscribe } from "@/bench/chain-market.ts";
import { query } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { type PostgresPair, startPostgresPair } from "@/lib/adapters/db/testing/postgres-pair.ts";
import { brokenRulesAt } from "@/lib/adapters/db/testing/stores.ts";
import { requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { type SpawnedService, startService } from "@/lib/server/testing/spawn-service.ts";
import { seedFolder } from "@/lib/server/testing/spawned-service.ts";
import { createMarket, type TestService } from "@/lib/server/testing/test-service.ts";
import { createRandom } from "@/lib/testing/seeded-random.ts";
import { type AnsweredLoad, type Answers, startAnsweredLoad } from "./answered-load.ts";

const BALANCES = 5;
const FEW_USES = 5;
const FREEZE_SECS = 20;
const FULL_MS = 3_000;
/** Undisturbed calls before each fault. */
const BETWEEN_MS = 2_000;
const WANTED = new Set([200, 402, 409, 503]);

const program = new Command("node scripts/proof/failovers.ts")
  .option("--failovers <n>", "rounds that kill the primary and promote the standby", "20")
  .option("--freezes <n>", "rounds in which every connection is silent for 1 to 20 s", "20")
  .option("--disk-fulls <n>", "rounds in which every write fails as on a full disk", "5")
  .option("--seed <n>", "decides what callers do and how long freezes take")
  .option("--callers <n>", "calls at once", "10")
  .option("--pause <ms>", "a caller's pause between two calls", "40")
  .option("--behind", "shows that losses are found: the standby is asynchronous and 300 ms behind")
  .parse();
const options = program.opts<Record<string, string>>();
const seed = Number(options.seed ?? Math.floor(Math.random() * 1_000_000));
const random = createRandom(seed);

type Round = { backMs: number; refusedMs: number };
type World = { pair: PostgresPair; load: AnsweredLoad };

/** A plan, an agent, and tokens on several balances; the last token has few uses, so that its later calls are declined. */
async function seedMarket(service: TestService) {
  const market = await createMarket(service, { credits: getFixedCreditsConfig(1_000_000n, 1n) });
  const tokens = [market.token];
  while (tokens.length < BALANCES) tokens.push(await subscribe(await service.party(), market));
  const { accessToken } = await market.subscriber.payments.x402.getX402AccessToken(
    market.planId,
    market.agentId,
    { redemptionLimit: FEW_USES },
  );
  return { market, tokens: [...tokens, accessToken] };
}

async function failOver({ pair, load }: World): Promise<Round> {
  const start = performance.now();
  await pair.failOver();
  const switched = performance.now();
  const backMs = await load.untilBack(switched);
  const refusedMs = load.lastRefusal(switched);
  await pair.rebuild();
  say(`promoted after ${Math.round(switched - start)} ms`, { backMs, refusedMs });
  return { backMs, refusedMs };
}

async function freeze({ pair, load }: World): Promise<Round> {
  const ms = 1_000 + random.below((FREEZE_SECS - 1) * 1_000);
  pair.proxy.freeze();
  await pause(ms);
  pair.proxy.thaw();
  const thawed = performance.now();
  const round = { backMs: await load.untilBack(thawed), refusedMs: load.lastRefusal(thawed) };
  say(`frozen for ${ms} ms`, round);
  return round;
}

/** Every insert and update fails as the server itself fails without space. */
async function fillDisk({ pair, load }: World): Promise<Round> {
  const url = pair.primaryUrl();
  await query(
    url,
    `create or replace function disk_full() returns trigger language plpgsql as $$
     begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
  );
  const tables = (await query(
    url,
    "select format('%I', tablename) as name from pg_tables where schemaname = 'public'",
  )) as { name: string }[];
  const onEach = async (change: (name: string) => string) => {
    for (const { name } of tables) await query(url, change(name));
  };
  await onEach(
    (name) => `create trigger aa_disk_full before insert or update on ${name}
      for each statement execute function disk_full()`,
  );
  await pause(FULL_MS);
  await onEach((name) => `drop trigger aa_disk_full on ${name}`);
  const freed = performance.now();
  const round = { backMs: await load.untilBack(freed), refusedMs: load.lastRefusal(freed) };
  say(`full for ${FULL_MS} ms`, round);
  return round;
}

const say = (what: string, { backMs, refusedMs }: Round) =>
  console.log(`  ${what}, 200 on both replicas ${backMs} ms after, last 503 ${refusedMs} ms after`);

async function repeat(name: string, run: (world: World) => Promise<Round>, world: World) {
  const times = Number(options[name === "disk-fulls" ? "diskFulls" : name]);
  const back: number[] = [];
  for (let round = 1; round <= times; round++) {
    await pause(BETWEEN_MS);
    await world.load.untilBack(performance.now());
    process.stdout.write(`${name} ${round}/${times}:`);
    back.push((await run(world)).backMs);
  }
  back.sort((a, b) => a - b);
  return times === 0
    ? `0 ${name}`
    : `${times} ${name} (200 again p50 ${back[Math.floor(times / 2)]} ms, max ${back.at(-1)} ms)`;
}

/** What was acknowledged against the ledger of a server. */
async function findLost(url: string, { settled, keys }: Answers) {
  const rows = (await query(
    url,
    "select agent_request_id as id, settlement_id as settlement from settlements",
  )) as { id: string; settlement: string }[];
  const burns = (await query(
    url,
    "select ref from transfers where kind in ('burn', 'post') group by ref having count(*) > 1",
  )) as { ref: string }[];
  const kept = (await query(url, "select key_id as id from api_keys")) as { id: string }[];
  const inLedger = new Map(rows.map(({ id, settlement }) => [id, settlement]));
  const keyIds = new Set(kept.map(({ id }) => id));
  return {
    lost:
      [...settled].filter(([id, settlement]) => inLedger.get(id) !== settlement).length +
      [...keys].filter((id) => !keyIds.has(id)).length,
    doubled: burns.length + rows.length - inLedger.size,
    settlements: rows.length,
  };
}

async function prove(pair: PostgresPair): Promise<void> {
  const { folder, seeded } = await seedFolder(pair.proxy.url, seedMarket);
  const other = await mkdtemp(join(tmpdir(), "turnpike-replica-"));
  await cp(join(folder, "secrets.json"), join(other, "secrets.json"));
  const replicas: SpawnedService[] = [];
  try {
    for (const dataDir of [folder, other]) {
      const settings = { TURNPIKE_DATA_DIR: dataDir, DATABASE_URL: pair.proxy.url };
      replicas.push(await startService({ settings }));
    }
    const load = startAnsweredLoad({
      urls: replicas.map(({ url }) => url),
      apiKey: seeded.market.builder.apiKey,
      paymentRequired: requirementOf(seeded.market),
      tokens: seeded.tokens,
      seed,
      callers: Number(options.callers),
      pauseMs: Number(options.pause),
    });
    const world = { pair, load };
    const rounds = [
      await repeat("failovers", failOver, world),
      await repeat("freezes", freeze, world),
      await repeat("disk-fulls", fillDisk, world),
    ];
    await report(pair, await load.end(), rounds);
  } finally {
    await Promise.all(replicas.map((replica) => replica.end("SIGTERM")));
    for (const replica of replicas) process.stderr.write(replica.stderr().slice(0, 4_000));
    await Promise.all([folder, other].map((path) => rm(path, { recursive: true, force: true })));
  }
}

async function report(pair: PostgresPair, answers: Answers, rounds: string[]): Promise<void> {
  const { lost, doubled, settlements } = await findLost(pair.primaryUrl(), answers);
  const onStandby = await findLost(pair.standbyUrl(), answers);
  const rules = await brokenRulesAt(pair.primaryUrl());
  const counts = Object.entries(answers.counts).sort(([a], [b]) => a.localeCompare(b));
  const others = counts.filter(([name]) => !WANTED.has(Number(name.split(" ").at(-1))));
  console.log(`answers: ${counts.map(([name, count]) => `${name} x ${count}`).join(", ")}`);
  for (const rule of rules) console.log(`broken rule: ${rule}`);
  console.log(
    `failovers: seed ${seed}: ${rounds.join(", ")}; ${answers.settled.size} settles and ${answers.keys.size} keys acknowledged, ` +
      `${settlements} in the ledger, ${lost} lost, ${onStandby.lost} lost on the standby, ` +
      `${doubled + answers.contradictions.length} doubled, ${others.length} other answers, ${rules.length} broken rules`,
  );
}

const pair = await startPostgresPair("turnpike", { isBehind: "behind" in options });
if (!pair) throw new Error("This proof needs a Postgres on this machine.");
console.log(`seed ${seed}: repeat this run with --seed ${seed}`);
await prove(pair).finally(pair.stop);
