import { PGlite } from "@electric-sql/pglite";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { createMarket, createTestService } from "@/lib/server/testing/test-service.ts";
import { getFixedCreditsConfig, toJson } from "@turnpike/payments/protocol";
const kind = process.argv[2];
const cluster = kind === "pg" ? await startPostgres() : null;
const db = await openDatabase(cluster ? { url: cluster.url } : {});
const service = createTestService(db);
const m = await createMarket(service, { credits: getFixedCreditsConfig(1_000_000n, 1n) });
const [t] = await db.query<any>("select * from tokens", []);
let n = 0;
const rows = (k: number) => toJson(Array.from({ length: k }, (_, ord) => ({ ord, builder: m.builder.address, agentRequestId: `req-${++n}-xxxxxxxxxxxxxxxx`, settlementId: `s-${n}`, fingerprint: "f", account: t.account, planId: m.planId, agentId: m.agentId, jti: t.jti, delegationId: t.delegation_id, amount: "1", scheme: "svc:erc4337", network: "x", fromHold: false, orderTx: null, chainStatus: "none", mirror: false })));
const hash = service.ports.crypto.digest(m.builder.apiKey);
const facts = (k: number) => toJson(Array.from({ length: k }, (_, ord) => ({ ord, keyHash: hash, jti: t.jti, planId: m.planId, agentId: m.agentId, agentRequestId: `req-${n}-yyy` })));
async function time(name: string, f: () => Promise<unknown>, reps = 60) {
  for (let i = 0; i < 10; i++) await f();
  const s = performance.now(); for (let i = 0; i < reps; i++) await f();
  console.log(name.padEnd(20), ((performance.now() - s) / reps).toFixed(2), "ms");
}
for (const pre of process.argv.slice(3)) await db.query(pre, []);
await time("select 1", () => db.query("select 1", []));
for (const k of [1, 10, 64, 200]) {
  await time(`facts ${k}`, () => db.query("select * from read_facts($1::jsonb)", [facts(k)]));
  await time(`settle ${k}`, () => db.query("select * from settle_set($1::jsonb)", [rows(k)]));
}
await db.close(); await cluster?.stop(); 
