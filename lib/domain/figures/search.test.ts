import { getCryptoPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { requirementOf } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const RECEIVER = "0x000000000000000000000000000000000000dEaD";
const REQUEST = "req_search_me_0001";
const HASH = `0x${"ab12".repeat(16)}`;
const MOST_MS = 150;

describe.each(ruleStores())("search over 10,000 objects on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;
  let settlementId: string;
  const find = async (party: TestParty, q: string) => (await party.figures.search(q)).items;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    market = await createMarket(service, {
      price: getCryptoPriceConfig(5n, RECEIVER),
      credits: getFixedCreditsConfig(1000n, 1n),
    });
    const settled = await market.builder.payments.facilitator.settlePermissions({
      paymentRequired: requirementOf(market),
      x402AccessToken: market.token,
      agentRequestId: REQUEST,
    });
    settlementId = settled.success ? settled.extra.settlementId : "";
    await fill(database, market);
    await settleOnChain(database, settlementId);
    await database.query("analyze", []);
  });
  afterAll(() => database.close());

  test("the object with the searched id, address, hash or endpoint is first, as far as one may see it", async () => {
    const { builder, subscriber, planId, agentId, tokenId, endpoint } = market;
    const { delegationId } = await subscriber.payments.tokens.getToken(tokenId);
    const cases: [TestParty, string, string, string][] = [
      [builder, planId, "plan", planId],
      [builder, agentId, "agent", agentId],
      [builder, endpoint, "agent", agentId],
      [builder, subscriber.address, "customer", subscriber.address],
      [builder, subscriber.address.toLowerCase(), "customer", subscriber.address],
      [builder, REQUEST, "request", REQUEST],
      [subscriber, REQUEST, "request", REQUEST],
      [builder, settlementId, "request", REQUEST],
      [subscriber, HASH, "request", REQUEST],
      [subscriber, planId, "subscription", planId],
      [subscriber, tokenId, "token", tokenId],
      [subscriber, delegationId, "delegation", delegationId],
    ];
    for (const [party, q, kind, id] of cases) {
      expect([q, (await find(party, q))[0]]).toMatchObject([q, { kind, id, isExact: true }]);
      const stranger = await service.party();
      expect([q, await find(stranger, q)]).toEqual([q, []]);
    }
  });

  test("a whole name comes before a beginning, and that before a part", async () => {
    const names = (await find(market.builder, "reader")).map(({ name }) => name);
    expect(names[0]).toBe("Reader");
    const parts = (await find(market.builder, "archive 77")).map(({ name }) => name);
    expect(parts[0]).toBe("Archive 77");
    expect(parts.every((name) => name.includes("rchive 77"))).toBe(true);
    const ends = await find(market.builder, "77");
    expect(ends.length).toBeGreaterThan(1);
    for (const q of ["%", "_", "\\", "100%"]) expect(await find(market.builder, q)).toEqual([]);
  });

  test("the beginning of a request's id finds it", async () => {
    expect(await find(market.builder, REQUEST.slice(0, 10))).toMatchObject([
      { kind: "request", id: REQUEST, isExact: false },
    ]);
  });

  test("a key finds what it may read, and no more", async () => {
    const { builder, planId, agentId } = market;
    const key = await service.call(builder, "POST", "/api-keys", {
      name: "activity alone",
      scopes: { activity: "read" },
    });
    const { apiKey } = (await key.json()) as { apiKey: string };
    for (const q of [planId, agentId, "activity alone"]) {
      const answer = await service.call({ ...builder, apiKey }, "GET", `/search?q=${q}`);
      expect([answer.status, await answer.json()]).toEqual([200, { items: [] }]);
    }
  });

  test(`answers within ${MOST_MS} ms`, async () => {
    const { builder, planId, subscriber } = market;
    const took: number[] = [];
    for (const q of [
      planId,
      "Reader",
      "77",
      "archive",
      REQUEST,
      "req_",
      "zzzz",
      subscriber.address,
    ]) {
      // The best of three: other work on the machine is not the search's.
      const runs: number[] = [];
      for (let run = 0; run < 3; run++) {
        const start = performance.now();
        await find(builder, q);
        runs.push(Math.round(performance.now() - start));
      }
      took.push(Math.min(...runs));
    }
    console.info(`search: ${took.join(", ")} ms`);
    expect(Math.max(...took)).toBeLessThan(MOST_MS);
  });
});

/** 3,000 plans, 2,000 agents, 2,000 customers, 500 keys and 3,000 settled requests beside what the market has. */
async function fill({ query }: Database, { builder, planId, agentId }: TestMarket): Promise<void> {
  const owner = [builder.address];
  for (const text of [
    `insert into plans select '1' || lpad(n::text, 30, '0'), $1, 'unlisted', 1, 'credits', false,
      jsonb_build_object('name', 'Archive ' || n), null, now() - n * interval '1 minute', now() from generate_series(1, 3000) n`,
    `insert into agents select '2' || lpad(n::text, 30, '0'), $1, jsonb_build_object('name', 'Reader ' || n),
      jsonb_build_array(jsonb_build_object('verb', 'POST', 'url', 'https://agent.example/other/' || n)), '[]', null, 'NONE', null,
      null, now() - n * interval '1 minute', now() from generate_series(1, 2000) n`,
    `insert into api_keys select 'key-' || n, 'hash-' || n, $1, 'Key number ' || n, '0000', now() - interval '90 days', now()
      from generate_series(1, 500) n`,
  ])
    await query(text, owner);
  await query(
    `insert into accounts (address, owner, name, created_at)
     select '0x' || lpad(to_hex(n), 40, '0'), 'owner', case when n % 2 = 0 then 'Customer ' || n end, now() from generate_series(1, 2000) n`,
    [],
  );
  await query(
    `insert into balances (account, plan_id, available, held, debt, plan_version, seq, hash)
     select '0x' || lpad(to_hex(n), 40, '0'), $1, 0, 0, 0, 1, 1, '' from generate_series(1, 2000) n`,
    [planId],
  );
  await query(
    `insert into settlements select $1 || '/bulk-' || n, $1, 'bulk-' || n, 'settlement-' || n, '', '0x' || lpad(to_hex(n % 2000 + 1), 40, '0'),
      $2, $3, 'jti', 'delegation', 'svc:erc4337', 'eip155:84532', 1, 1, false, null, '', 'none', now() - n * interval '1 second'
     from generate_series(1, 3000) n`,
    [builder.address, planId, agentId],
  );
}

/** The settlement in a bundle that was sent with one transaction. */
async function settleOnChain({ query }: Database, settlementId: string): Promise<void> {
  await query(
    `insert into chain_bundles (bundle_id, lane, state, burns, transactions, created_at)
     values ('bundle-1', 'lane', 'final', '[]', $1::jsonb, now())`,
    [JSON.stringify([{ hash: HASH, raw: "0x", nonce: 1 }])],
  );
  await query("insert into chain_burns values ($1, 'bundle-1')", [settlementId]);
}
