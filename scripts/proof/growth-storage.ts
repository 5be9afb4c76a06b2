// What a paid request leaves in the database: every table and index that grew, in bytes a request.
import { randomUUID } from "node:crypto";
import { buildPaymentRequired, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { type Database, openDatabase } from "@/lib/adapters/db/client.ts";
import { sumRequests } from "@/lib/adapters/db/testing/sum-requests.ts";
import { createMarket, createTestService } from "@/lib/server/testing/test-service.ts";

const ROUNDS = 6;
const REQUESTS = 1_000;

const SIZES = `select relname as name, pg_relation_size(oid) as bytes from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`;

type Part = { name: string; bytes: number };

/** Sizes once the space of rows that were replaced can be used again, as autovacuum leaves it. */
async function readSizes(database: Database): Promise<Map<string, number>> {
  await database.query("vacuum analyze", []);
  const rows = await database.query<Part>(SIZES, []);
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

/**
 * Bytes a request of each table and index, the largest first, after requests that were settled through the API one by
 * one, or reserved before. They come one by one because a batch has one time, which indexes then hold once.
 */
export async function measureStorage(url: string, isReserved: boolean): Promise<Part[]> {
  const database = await openDatabase({ url, poolSize: 4 });
  const service = createTestService(database);
  const { planId, agentId, endpoint, token, builder } = await createMarket(service, {
    credits: getFixedCreditsConfig(1_000_000n, 1n),
  });
  const call = async (kind: "verify" | "settle", more: object) => {
    const response = await service.call(builder, "POST", `/x402/${kind}`, {
      paymentRequired: buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" }),
      x402AccessToken: token,
      ...more,
    });
    if (response.status !== 200) throw new Error(`${kind}: ${await response.text()}`);
  };
  const work = async () => {
    for (let count = 0; count < REQUESTS; count += 1) {
      const agentRequestId = randomUUID();
      if (isReserved) await call("verify", { agentRequestId, reserve: true });
      await call("settle", { agentRequestId });
    }
    await sumRequests(database);
  };
  await work();
  const before = await readSizes(database);
  for (let round = 0; round < ROUNDS; round += 1) {
    await work();
    await database.query("vacuum", []);
  }
  const after = await readSizes(database);
  await database.close();
  return [...after]
    .map(([name, bytes]) => ({
      name,
      bytes: (bytes - (before.get(name) ?? 0)) / (ROUNDS * REQUESTS),
    }))
    .filter(({ bytes }) => bytes >= 1)
    .sort((a, b) => b.bytes - a.bytes);
}
