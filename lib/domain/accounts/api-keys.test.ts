import { type InputOf, type KeyPreset, PaymentsError } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const DAY_SECS = 86_400;

describe.each(ruleStores())("API keys on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;
  let owner: TestParty;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    market = await createMarket(service);
    owner = market.builder;
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  type Input = Partial<InputOf<"createApiKey">>;
  type Key = { apiKey: string; keyId: string; expiresAt: string };
  /** Creates a key with one of the owner's keys. */
  const create = async (input: Input = {}, by = owner.apiKey): Promise<Key> => {
    const asked = { name: "key", ...input };
    const answer = await service.call({ ...owner, apiKey: by }, "POST", "/api-keys", asked);
    const body = await answer.json();
    if (!answer.ok) throw new PaymentsError(body.code, body.message, body);
    return body;
  };
  const revoke = (keyId: string, by: Key) =>
    service.call({ ...owner, apiKey: by.apiKey }, "DELETE", `/api-keys/${keyId}`);
  const summaryOf = async ({ keyId }: Key) =>
    (await owner.payments.apiKeys.listApiKeys()).items.find((key) => key.keyId === keyId);
  const readPlans = async ({ apiKey }: Key) =>
    (await service.call({ ...owner, apiKey }, "GET", "/protocol/plans")).status;
  const settle = async ({ apiKey }: Key, agentRequestId = freshId()) => {
    const body = {
      paymentRequired: requirementOf(market),
      x402AccessToken: market.token,
      agentRequestId,
    };
    return (await service.call({ ...owner, apiKey }, "POST", "/x402/settle", body)).status;
  };

  test("a key from before presets is full", async () => {
    const old = await create();
    await database.query("update api_keys set preset = default where key_id = $1", [old.keyId]);
    expect(await summaryOf(old)).toMatchObject({ preset: "full", scopes: { keys: "write" } });
    expect(await readPlans(old)).toBe(200);
  });

  test("a gate key charges calls of its owner's agents", async () => {
    const gate = await create({ preset: "gate" });
    expect(await summaryOf(gate)).toMatchObject({
      preset: "gate",
      scopes: { calls: "write", plans: "read" },
    });
    expect([await readPlans(gate), await settle(gate)]).toEqual([200, 200]);
  });

  test("the answer names the rights, and a misspelt member makes no key with all of them", async () => {
    expect(await create({ preset: "read" })).toMatchObject({
      preset: "read",
      scopes: { plans: "read" },
    });
    await expect(create({ presset: "gate" } as Input)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("presset"),
    });
  });

  test("a custom key may do what its scopes say and nothing else", async () => {
    const custom = await create({ scopes: { plans: "read", keys: "none" } });
    expect(await summaryOf(custom)).toMatchObject({ preset: "custom", scopes: { plans: "read" } });
    expect([await readPlans(custom), await settle(custom)]).toEqual([200, 403]);
    const nothing = await create({ scopes: {} });
    expect([await readPlans(nothing), await settle(nothing)]).toEqual([403, 403]);
  });

  test("a preset beside scopes, and words that are none, are invalid", async () => {
    for (const wrong of [
      { preset: "gate", scopes: {} },
      { preset: "admin" },
      { preset: "custom" },
      { scopes: { everything: "write" } },
      { scopes: { calls: "admin" } },
    ]) {
      await expect(create(wrong as Input)).rejects.toMatchObject({ code: "invalid_input" });
    }
  });

  describe("rotation", () => {
    test("T09: both keys work during the overlap, then the new one alone", async () => {
      const old = await create({ preset: "gate" });
      const replaces = { keyId: old.keyId, overlapSecs: DAY_SECS };
      const next = await create({ replaces });
      expect(await summaryOf(next)).toMatchObject({ preset: "gate" });
      const summary = await summaryOf(old);
      expect(summary).toMatchObject({ status: "Active", replacedBy: next.keyId });
      const end = Date.parse(summary?.expiresAt ?? "");
      expect(Math.abs(end - Date.now() - DAY_SECS * 1000)).toBeLessThan(60_000);
      expect([await settle(old), await settle(next)]).toEqual([200, 200]);
      await database.query(
        "update api_keys set expires_at = app_now() - interval '1 second' where key_id = $1",
        [old.keyId],
      );
      expect([await settle(old), await settle(next)]).toEqual([401, 200]);
      expect([await readPlans(old), await readPlans(next)]).toEqual([401, 200]);
      expect(await summaryOf(old)).toMatchObject({ status: "Expired" });
    });

    test("T09: without overlap the old key stops at once", async () => {
      const old = await create({ preset: "gate" });
      const next = await create({ replaces: { keyId: old.keyId, overlapSecs: 0 } });
      expect([await settle(old), await settle(next)]).toEqual([401, 200]);
      expect([await readPlans(old), await readPlans(next)]).toEqual([401, 200]);
    });

    test("an overlap never prolongs the old key", async () => {
      const old = await create({ durationSecs: 600 });
      await create({ replaces: { keyId: old.keyId, overlapSecs: DAY_SECS } });
      expect((await summaryOf(old))?.expiresAt).toBe(old.expiresAt);
    });

    test("a key is replaced once, and only while it is active", async () => {
      const old = await create();
      const replaces = { keyId: old.keyId, overlapSecs: DAY_SECS };
      const before = (await owner.payments.apiKeys.listApiKeys()).items.length;
      const both = await Promise.allSettled([create({ replaces }), create({ replaces })]);
      expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      const revoked = await create();
      await owner.payments.apiKeys.revokeApiKey(revoked.keyId);
      const late = create({ replaces: { keyId: revoked.keyId, overlapSecs: 0 } });
      await expect(late).rejects.toMatchObject({ code: "conflict" });
      expect((await owner.payments.apiKeys.listApiKeys()).items).toHaveLength(before + 2);
    });

    test("T29: another account's key cannot be replaced", async () => {
      const stranger = await create({}, market.subscriber.apiKey);
      const replaces = { keyId: stranger.keyId, overlapSecs: 0 };
      await expect(create({ replaces })).rejects.toMatchObject({ code: "not_found" });
      expect(await readPlans(stranger)).toBe(200);
    });
  });

  describe("T09: a key that manages keys", () => {
    let manager: Key;
    beforeAll(async () => {
      manager = await create({
        scopes: { keys: "write", plans: "read" },
        durationSecs: DAY_SECS,
      });
    });
    const by = (input: Input) => create(input, manager.apiKey);

    test.each<[string, Input]>([
      ["full, by default", {}],
      ...(["gate", "buyer", "read", "full"] as KeyPreset[]).map((preset): [string, Input] => [
        preset,
        { preset },
      ]),
      ["of one scope more", { scopes: { cards: "read" } }],
      ["of one level more", { scopes: { plans: "write" } }],
      [
        "that may spend",
        { scopes: {}, rootLimit: { spendingLimitCents: "100", durationSecs: 600 } },
      ],
      ["that outlives it", { scopes: { plans: "read" }, durationSecs: 2 * DAY_SECS }],
    ])("cannot create one %s", async (_, input) => {
      await expect(by(input)).rejects.toMatchObject({ code: "forbidden" });
    });

    test("creates, replaces and revokes keys within its own rights, which end with it", async () => {
      const child = await by({ scopes: { plans: "read" } });
      expect(child.expiresAt).toBe(manager.expiresAt);
      const next = await by({ replaces: { keyId: child.keyId, overlapSecs: 0 } });
      expect(await summaryOf(next)).toMatchObject({ scopes: { plans: "read" } });
      expect((await revoke(next.keyId, manager)).status).toBe(200);
    });

    test("cannot replace or revoke a key with more rights", async () => {
      const gate = await create({ preset: "gate" });
      const replaces = { keyId: gate.keyId, overlapSecs: 0 };
      await expect(by({ replaces })).rejects.toMatchObject({ code: "forbidden" });
      const narrowed = by({ replaces, scopes: { plans: "read" } });
      await expect(narrowed).rejects.toMatchObject({ code: "forbidden" });
      const answer = await revoke(gate.keyId, manager);
      expect([answer.status, (await answer.json()).message]).toEqual([
        403,
        "This API key can't revoke one that has scopes it lacks: calls:write.",
      ]);
      expect(await settle(gate)).toBe(200);
    });
  });

  test("are at most 500 of an account, however many are created at once", async () => {
    const { address, payments } = await service.party();
    await database.query(
      `insert into api_keys select (jsonb_populate_record(k, jsonb_build_object('key_id', k.key_id || n, 'hash', k.hash || n))).*
       from api_keys k, generate_series(1, 497) n where k.account = $1`,
      [address],
    );
    const create = () => payments.apiKeys.createApiKey({ name: "one more" });
    const created = await Promise.allSettled(Array.from({ length: 6 }, create));
    expect(created.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(await service.ports.apiKeys.count(address, new Date(0))).toBe(500);
  });

  test("T09: a revoked key is refused at its next request", async () => {
    const gate = await create({ preset: "gate" });
    expect(await settle(gate)).toBe(200);
    await owner.payments.apiKeys.revokeApiKey(gate.keyId);
    expect([await settle(gate), await readPlans(gate)]).toEqual([401, 401]);
  });
});
