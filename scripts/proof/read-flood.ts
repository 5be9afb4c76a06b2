// What searches of a big table do to settles beside them: settles a second, quiet and flooded in turn, in one run.
import { Agent, request } from "node:http";
import pg from "pg";
import { callsOf, loadCalls } from "@/bench/service.ts";
import { requirePostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { requirementOf } from "@/lib/server/testing/operation-samples.ts";
import {
  createSpawnable,
  type RunningService,
  type Spawnable,
} from "@/lib/server/testing/spawned-service.ts";

const REQUESTS = Number(process.env.REQUESTS ?? 700_000);
const READERS = 16;
const CONNECTIONS = 32;
const ROUNDS = 3;
const SECS = 8;

/** Copies of one settled request, each with its hold: as many rows of each table. */
async function fill(connectionString: string): Promise<void> {
  const copied = (table: string, own: Record<string, string>) => `
    insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(one) || jsonb_build_object(${Object.entries(
      own,
    )
      .map(([name, value]) => `'${name}', ${value}`)
      .join(", ")}))).*
    from (select * from ${table} limit 1) one, generate_series(1, ${REQUESTS}) n`;
  const at = `now() - n * interval '1 second'`;
  const id = { request_key: "one.builder || '/filled-' || n", agent_request_id: "'filled-' || n" };
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("set session_replication_role = replica");
  await client.query(
    copied("settlements", { ...id, settlement_id: "'filled-' || n", created_at: at }),
  );
  await client.query(copied("holds", { ...id, created_at: at }));
  await client.query("vacuum analyze");
  await client.end();
}

/** Searches by one builder from so many connections until it is stopped; how many of each answer. */
function flood(url: string, apiKey: string) {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: READERS });
  const statuses: Record<string, number> = {};
  let isOver = false;
  const search = (n: number) =>
    new Promise<void>((done) => {
      const path = `/api/v1/requests?search=nothing-${n}`;
      const headers = { authorization: `Bearer ${apiKey}` };
      const asked = request({ hostname, port, agent, path, headers }, (answer) => {
        const wait = answer.headers["retry-after"] ? " with Retry-After" : "";
        const status = `${answer.statusCode}${wait}`;
        statuses[status] = (statuses[status] ?? 0) + 1;
        answer.resume().once("close", done);
      });
      asked.once("error", () => done());
      asked.end();
    });
  const readers = Array.from({ length: READERS }, async (_, reader) => {
    for (let n = 0; !isOver; n++) await search(reader * 1_000_000 + n);
  });
  return async () => {
    isOver = true;
    await Promise.all(readers);
    agent.destroy();
    return statuses;
  };
}

async function measure(service: RunningService, { market }: Spawnable): Promise<void> {
  const calls = callsOf(market, [market.token]);
  const load = (secs: number) => loadCalls(service.url, "settle", calls, secs, CONNECTIONS);
  await load(4);
  const rates = { quiet: [] as number[], flooded: [] as number[] };
  const statuses: Record<string, number> = {};
  for (let round = 0; round < ROUNDS; round++) {
    const quiet = await load(SECS);
    rates.quiet.push(quiet.perSecond);
    const end = flood(service.url, market.builder.apiKey);
    const flooded = await load(SECS);
    for (const [status, count] of Object.entries(await end())) {
      statuses[status] = (statuses[status] ?? 0) + count;
    }
    rates.flooded.push(flooded.perSecond);
  }
  const [quiet, flooded] = [mean(rates.quiet), mean(rates.flooded)];
  const answers = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`);
  console.log(
    `read flood: ${REQUESTS} requests, ${READERS} searches at once, answers ${answers.join(", ")}; ` +
      `settles ${quiet}/s quiet (${rates.quiet.join(", ")}), ${flooded}/s flooded (${rates.flooded.join(", ")}), ` +
      `kept ${Math.round((100 * flooded) / quiet)} %`,
  );
}

const mean = (values: number[]) => Math.round(values.reduce((a, b) => a + b, 0) / values.length);

const cluster = await requirePostgres();
const url = await cluster.createDatabase("flood");
const world = await createSpawnable({ databaseUrl: url });
try {
  const service = await world.start();
  const verified = await service.post("/x402/verify", {
    paymentRequired: requirementOf(world.market),
    x402AccessToken: world.market.token,
    agentRequestId: "read-flood-first-00001",
  });
  if (!verified.ok) throw new Error(await verified.text());
  await service.settle("read-flood-first-00001");
  await fill(url);
  await measure(service, world);
  await service.stop();
} finally {
  await world.remove();
  await cluster.stop();
}
