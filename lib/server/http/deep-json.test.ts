import { encodeBase64 } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { sampleRun } from "@/lib/console/shared-run.ts";
import { createTestService, type TestParty, type TestService } from "../testing/test-service.ts";

/** A JSON text with a member nested so deep. */
const withDeep = (value: object, depth: number): string =>
  JSON.stringify({ ...value, deep: "HERE" }).replace(
    '"HERE"',
    `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
  );

const ADDRESS = `0x${"1".repeat(40)}`;
const exactOf = (depth: number) =>
  encodeBase64(
    withDeep(
      {
        accepted: { scheme: "exact" },
        payload: { authorization: { from: ADDRESS, nonce: `0x${"2".repeat(64)}` } },
      },
      depth,
    ),
  );

describe.each(ruleStores())("JSON inside texts, nested deep, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let party: TestParty;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    party = await service.party();
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const requirement = {
    x402Version: 2,
    resource: { url: "https://agent.example/ask" },
    accepts: [{ scheme: "svc:erc4337", network: "eip155:84532", planId: "42" }],
  };

  test.each([300, 1_000, 5_000, 30_000])("%i levels answer no 500 at any door", async (depth) => {
    const run = withDeep(sampleRun, depth).replace('"deep":', '"requirement":');
    const shared = await service.call(party, "POST", "/runs/shared", { run });
    expect([shared.status, (await shared.json()).code]).toEqual([422, "invalid_input"]);
    const tokens = [exactOf(depth), encodeBase64(withDeep({ accepted: {} }, depth))];
    for (const x402AccessToken of tokens) {
      for (const path of ["/x402/verify", "/x402/settle"]) {
        const body = { x402AccessToken, paymentRequired: requirement, maxAmount: "1" };
        const { status } = await service.call(party, "POST", path, body);
        expect(status).toBeLessThan(500);
      }
    }
    const text = withDeep({ jsonrpc: "2.0", id: 1, method: "ping" }, depth);
    const request = new Request("http://service.test/api/v1/mcp", { method: "POST", body: text });
    expect((await service.serve(request, { address: "127.0.0.1" })).status).toBeLessThan(500);
  });
});
