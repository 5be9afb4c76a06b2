import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { browser, signIn } from "../_session/testing/browser.ts";
import { askNewPasskey, signOut } from "./actions.ts";

let database: Database;
let service: TestService;

beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database);
});
afterAll(() => database.close());

test("a person who is signed in is refused before the device makes a passkey for another account", async () => {
  await signIn(service, await service.party());
  expect(await askNewPasskey()).toMatchObject({ ok: false, code: "forbidden" });
});

test("a sign-out that fails says so, and one that works leads to the landing page", async () => {
  await signIn(service, await service.party());
  const { origin } = browser;
  browser.origin = "http://elsewhere.test";
  expect(await signOut()).toMatchObject({ ok: false, code: "forbidden" });
  browser.origin = origin;
  await expect(signOut()).rejects.toThrow("redirect");
});
