import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { browser } from "@/app/_session/testing/browser.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openTestPglite } from "@/lib/adapters/db/testing/stores.ts";
import { openSession } from "@/lib/domain/accounts/sessions.ts";
import { setRunning } from "@/lib/server/running.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { saveName } from "./actions.ts";

vi.mock(
  "@/app/_session/cookies.ts",
  async () => (await import("@/app/_session/testing/browser.ts")).cookiesModule,
);
vi.mock(
  "next/headers",
  async () => (await import("@/app/_session/testing/browser.ts")).headersModule,
);
vi.mock(
  "next/navigation",
  async () => (await import("@/app/_session/testing/browser.ts")).navigationModule,
);
vi.mock("next/cache", () => ({ revalidatePath: () => {} }));

let database: Database;
let service: TestService;

beforeAll(async () => {
  database = await openTestPglite();
  service = createTestService(database);
});
afterAll(() => database.close());

test("a new name is in the audit log as the person's, with where they sent it from", async () => {
  const { ports, pipeline } = service;
  const person = await service.party();
  browser.origin = "http://service.test";
  browser.address = "192.0.2.7";
  browser.cookie = (await openSession(ports, person.address, "demo")).token;
  setRunning(Promise.resolve({ env: { origin: browser.origin }, ports, pipeline } as never));
  expect(await saveName("Meridian")).toMatchObject({ ok: true });
  const { items } = await person.payments.audit.listAudit({ action: "account" });
  expect(items).toMatchObject([{ action: "account.rename", address: "192.0.2.7" }]);
  browser.address = undefined;
});
