import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { callOperation } from "@/lib/server/testing/hostile-input.ts";
import type { OperationName } from "@/lib/server/testing/operation-samples.ts";
import { pretendCards } from "@/lib/server/testing/pretend-rail.ts";
import { createSampleWorld, type SampleWorld } from "@/lib/server/testing/sample-world.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

describe.each(ruleStores())("a key stolen from a gate, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let world: SampleWorld;
  let thief: TestParty;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, { cards: pretendCards });
    world = await createSampleWorld(service);
    const input = { name: "gate", preset: "gate" };
    const made = await callOperation(service, world.builder, "createApiKey", input);
    thief = { ...world.builder, ...(await made.json()) };
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const attacks: [string, OperationName, (world: SampleWorld) => Record<string, unknown>][] = [
    [
      "re-price a plan",
      "updatePlan",
      ({ spare }) => ({ planId: spare.planId, metadataAttributes: { name: "Mine now" } }),
    ],
    ["order a plan at the owner's expense", "orderPlan", ({ planId }) => ({ planId })],
    [
      "charge a saved card",
      "orderFiatPlan",
      ({ spare }) => ({ planId: spare.cardPlanId, paymentMethodId: "pm_card_visa" }),
    ],
    [
      "mint a token",
      "getX402AccessToken",
      ({ planId, agentId }) => ({ accepted: { planId, extra: { agentId } } }),
    ],
    ["revoke another key", "revokeApiKey", ({ spare }) => ({ keyId: spare.keyId })],
    ["create a key", "createApiKey", () => ({ name: "mine" })],
    [
      "create a key for a century",
      "createApiKey",
      () => ({ name: "mine", durationSecs: 3_155_760_000 }),
    ],
    ["read the owner's keys", "listApiKeys", () => ({})],
    ["move the spending limits", "revokeAllDelegations", () => ({})],
  ];
  test.each(attacks)("cannot %s", async (_, name, input) => {
    const answer = await callOperation(service, thief, name, input(world));
    expect([answer.status, (await answer.json()).code]).toEqual([403, "forbidden"]);
  });
});
