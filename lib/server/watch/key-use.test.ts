import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { testStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestParty, type TestService } from "../testing/test-service.ts";

let database: Database;
let service: TestService;
let party: TestParty;

beforeAll(async () => {
  database = await (testStores()[0] as ReturnType<typeof testStores>[number]).open();
  service = createTestService(database);
  party = await service.party();
});
afterAll(() => database.close());

const lastUse = async () => (await service.ports.apiKeys.list(party.address))[0]?.lastUsedAt;

test("a key tells when it was last used", async () => {
  expect(await lastUse()).toBeNull();
  await service.call(party, "GET", "/protocol/plans");
  await vi.waitFor(async () => expect(await lastUse()).toBeInstanceOf(Date), { timeout: 10_000 });
});

test("many requests in a minute note one use", async () => {
  const markUsed = vi.spyOn(service.ports.apiKeys, "markUsed");
  for (let call = 0; call < 5; call += 1) await service.call(party, "GET", "/protocol/plans");
  expect(markUsed).not.toHaveBeenCalled();
});

test("a revoked key is not noted as used", async () => {
  const { apiKeys } = party.payments;
  const { apiKey, keyId } = await apiKeys.createApiKey({ name: "stolen" });
  const hash = service.ports.crypto.digest(apiKey);
  await apiKeys.revokeApiKey(keyId);
  await service.ports.apiKeys.markUsed(hash);
  expect(await service.ports.apiKeys.find(hash)).toMatchObject({ lastUsedAt: null });
});
