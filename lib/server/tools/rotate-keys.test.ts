import { randomBytes } from "node:crypto";
import { Payments } from "@turnpike/payments";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sealUnbound } from "@/lib/adapters/crypto/testing/seal-unbound.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { readEnv } from "../env.ts";
import {
  createMarket,
  createTestService,
  TEST_ORIGIN,
  type TestMarket,
} from "../testing/test-service.ts";
import { rotateKeys } from "./rotate-keys.ts";

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)] as const;
const hex = (key: Uint8Array) => Buffer.from(key).toString("hex");

describe.each(ruleStores())("rotating the root key on $name", ({ open }) => {
  let database: Database;
  let market: TestMarket;

  beforeAll(async () => {
    database = await open();
    const service = createTestService(database, { secretKey: oldKey });
    market = await createMarket(service);
    const { builder, agentId } = market;
    await builder.payments.agents.updateAgent(agentId, {
      agentApiAttributes: {
        endpoints: [{ POST: market.endpoint }],
        agentDefinitionUrl: "https://agent.example/openapi.json",
        authType: "BEARER",
        token: "a token of the agent",
      },
    });
    const { endpointId } = await builder.payments.webhooks.createWebhookEndpoint({
      url: "https://builder.example/hooks",
    });
    await builder.payments.webhooks.rotateWebhookSecret({ endpointId });
    await builder.payments.webhooks.rotateWebhookSecret({ endpointId });
    // An account of an earlier release.
    await database.query("update accounts set owner_key = $2 where address = $1", [
      builder.address,
      sealUnbound(oldKey, builder.ownerKey, "account-owner"),
    ]);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** Mints under the subscriber's first delegation, with a service of these keys. */
  async function mintWith(secretKey: Uint8Array, ...olderKeys: Uint8Array[]): Promise<string> {
    const { fetch } = createTestService(database, { secretKey, olderKeys });
    const { subscriber, planId, agentId } = market;
    const { apiKey } = subscriber;
    const environment = "sandbox";
    const payments = Payments.getInstance({ apiKey, environment, baseUrl: TEST_ORIGIN, fetch });
    const { delegations } = await payments.delegation.listDelegations();
    const delegationId = delegations.at(-1)?.delegationId ?? "";
    const options = { delegationConfig: { delegationId } };
    return (await payments.x402.getX402AccessToken(planId, agentId, options)).accessToken;
  }

  test("T56: a replica with both keys works throughout, and one with the new key alone does once all is sealed anew", async () => {
    await expect(mintWith(newKey)).rejects.toThrow();
    expect(await mintWith(newKey, oldKey)).toBeTruthy();
    const first = await rotateKeys({ database, rootKeys: [newKey, oldKey] });
    expect(first.flatMap(({ unreadable }) => unreadable)).toEqual([]);
    expect(Object.fromEntries(first.map(({ name, resealed }) => [name, resealed > 0]))).toEqual({
      "owner keys": true,
      "delegations' session keys": true,
      "grants' session keys": false,
      "agents' credentials": true,
      "webhook secrets": true,
      "previous webhook secrets": true,
      "older webhook secrets": true,
    });
    expect(await mintWith(newKey)).toBeTruthy();
    await expect(mintWith(oldKey)).rejects.toThrow();
    const again = await rotateKeys({ database, rootKeys: [newKey] });
    expect(again.map(({ resealed }) => resealed)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  test("T56: a sealed key that is moved to another row does not open, and is named", async () => {
    const { delegations } = await market.subscriber.payments.delegation.listDelegations();
    const other = await market.subscriber.payments.delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 1_000n,
      durationSecs: 3_600,
    });
    const id = delegations.at(-1)?.delegationId ?? "";
    const [kept] = await database.query<{ session_key: string }>(
      "select session_key from delegations where delegation_id = $1",
      [id],
    );
    const move = "update delegations set session_key = $2 where delegation_id = $1";
    const [moved] = await database.query<{ session_key: string }>(
      "select session_key from delegations where delegation_id = $1",
      [other.delegationId],
    );
    await database.query(move, [id, moved?.session_key]);
    await expect(mintWith(newKey, oldKey)).rejects.toThrow();
    const rotated = await rotateKeys({ database, rootKeys: [newKey, oldKey] });
    expect(rotated.flatMap(({ unreadable }) => unreadable)).toEqual([id]);
    await database.query(move, [id, kept?.session_key]);
    expect(await mintWith(newKey, oldKey)).toBeTruthy();
  });
});

test("TURNPIKE_SECRET_KEY is one key or several, newest first, and nothing else", () => {
  const [old, young] = [hex(oldKey), hex(newKey)];
  expect(readEnv({ TURNPIKE_SECRET_KEY: old }).secretKeys?.map(hex)).toEqual([old]);
  const both = readEnv({ TURNPIKE_SECRET_KEY: ` 0x${young}, ${old} ` }).secretKeys;
  expect(both?.map(hex)).toEqual([young, old]);
  expect(readEnv({}).secretKeys).toBeUndefined();
  for (const wrong of ["12", `${old},`, `${old};${young}`, `${old},12`]) {
    expect(() => readEnv({ TURNPIKE_SECRET_KEY: wrong })).toThrow(/TURNPIKE_SECRET_KEY/);
  }
});
