import { afterAll, beforeAll, expect, test } from "vitest";
import { browser, signIn } from "@/app/_session/testing/browser.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { saveName } from "./actions.ts";

let database: Database;
let service: TestService;

beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database);
});
afterAll(() => database.close());

test("a new name is in the audit log as the person's, with where they sent it from", async () => {
  const person = await service.party();
  await signIn(service, person);
  browser.address = "192.0.2.7";
  expect(await saveName("Meridian")).toMatchObject({ ok: true });
  const { items } = await person.payments.audit.listAudit({ action: "account" });
  expect(items).toMatchObject([{ action: "account.rename", address: "192.0.2.7" }]);
  browser.address = undefined;
});
