import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import type { Log } from "@/lib/domain/ports.ts";
import { callOperation } from "./testing/hostile-input.ts";
import { allOperations, type OperationName, samples } from "./testing/operation-samples.ts";
import { createPretendRail, pretendCards } from "./testing/pretend-rail.ts";
import { createSampleWorld, type SampleWorld } from "./testing/sample-world.ts";
import { createTestService, type TestService } from "./testing/test-service.ts";

/** Answers that are the one place where a secret of the caller's is shown. */
const SHOWS_ONCE: readonly OperationName[] = ["createApiKey", "getX402AccessToken"];

describe.each(ruleStores())("secrets on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let world: SampleWorld;
  const said: string[] = [];
  const canaries: string[] = [];
  const canary = () => {
    const text = `canary${randomBytes(12).toString("hex")}`;
    canaries.push(text);
    return text;
  };

  beforeAll(async () => {
    database = await open();
    const write = (fields: Record<string, unknown>, message: string) => {
      said.push(JSON.stringify({ ...fields, message }, (_key, item) => String(item) && item));
    };
    const log: Log = { info: write, warn: write, error: write };
    const secretKey = randomBytes(32);
    canaries.push(secretKey.toString("hex"), secretKey.toString("base64"));
    service = createTestService(database, {
      log,
      rails: [createPretendRail()],
      cards: pretendCards,
      secretKey,
    });
    world = await createSampleWorld(service);
    canaries.push(world.builder.apiKey, world.subscriber.apiKey, world.token);
    const agent = {
      metadataAttributes: { name: "Guarded" },
      agentApiAttributes: {
        authType: "BASIC",
        username: canary(),
        password: canary(),
        token: canary(),
        apiKey: canary(),
        headers: { "x-secret": canary(), [canary()]: "1" },
      },
    };
    const answer = await callOperation(service, world.builder, "updateAgent", {
      agentId: world.spare.agentId,
      ...agent,
    });
    expect(answer.status).toBe(200);
    said.push(await answer.text());
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const leaks = (text: string) => canaries.filter((secret) => text.includes(secret));

  test.each(Object.keys(allOperations) as OperationName[])(
    "T56: %s answers with none",
    async (name) => {
      const input = samples[name](world);
      const inputs = [
        input,
        { ...input, planId: world.spare.planId, agentId: world.spare.agentId },
      ];
      for (const party of [world.builder, world.subscriber]) {
        for (const one of inputs) {
          const text = await (await callOperation(service, party, name, one)).text();
          expect(leaks(text)).toEqual([]);
          if (!SHOWS_ONCE.includes(name)) expect(text).not.toMatch(/svc-sandbox:|"accessToken"/);
          // The hash of an event is public: it chains the events. The hash of a key is not.
          const members = text.replaceAll(/"hash":"0x[0-9a-f]{64}"/g, "");
          expect(members).not.toMatch(/sessionKey"|ownerKey|credentials|"hash"|fingerprint/);
          // Not even sealed.
          const sealed = await database.query<{ text: string }>(
            "select session_key as text from delegations union select credentials from agents where credentials is not null",
            [],
          );
          expect(sealed.filter((one) => text.includes(one.text))).toEqual([]);
        }
      }
    },
  );

  test("a refused input does not repeat the secrets beside the fault", async () => {
    const secret = canary();
    const attempts: [string, object][] = [
      [
        "/protocol/agents",
        {
          metadataAttributes: { name: 7 },
          agentApiAttributes: { password: secret, token: secret, headers: { a: secret } },
        },
      ],
      ["/x402/verify", { x402AccessToken: secret, paymentRequired: 7 }],
      ["/x402/settle", { x402AccessToken: `${secret}${"x".repeat(9000)}`, paymentRequired: 7 }],
      ["/api-keys", { name: 7, apiKey: secret }],
    ];
    for (const [path, body] of attempts) {
      const answer = await service.call(world.builder, "POST", path, body);
      expect(answer.status).toBe(422);
      expect(leaks(await answer.text())).toEqual([]);
    }
    const wrongKey = { ...world.builder, apiKey: `svc-sandbox:${secret}` };
    const answer = await service.call(wrongKey, "GET", "/api-keys");
    expect(answer.status).toBe(401);
    expect(leaks(await answer.text())).toEqual([]);
  });

  test("nothing is logged when a part fails either", async () => {
    const { ports } = service;
    const readFacts = ports.ledger.readFacts;
    const find = ports.apiKeys.find;
    const broken = () => Promise.reject(new Error("a part broke"));
    ports.ledger.readFacts = broken;
    ports.apiKeys.find = broken;
    for (const name of ["verifyPermissions", "settlePermissions", "registerAgent"] as const) {
      const answer = await callOperation(service, world.builder, name, samples[name](world));
      const body = await answer.json();
      expect([answer.status, body.code]).toEqual([500, "internal"]);
      expect(body.message).not.toBe(body.hint);
      expect(JSON.stringify(body)).not.toContain("a part broke");
      expect(leaks(JSON.stringify(body))).toEqual([]);
    }
    ports.ledger.readFacts = readFacts;
    ports.apiKeys.find = find;
    expect(said.join("\n")).toContain("a part broke");
    expect(leaks(said.join("\n"))).toEqual([]);
  });

  test("T56: no column of the database holds one in the clear", async () => {
    const tables = await database.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
      [],
    );
    for (const { name } of tables) {
      const rows = await database.query<{ row: string }>(
        `select t::text as row from "${name}" t`,
        [],
      );
      expect(leaks(rows.map(({ row }) => row).join("\n")), name).toEqual([]);
    }
  });
});
