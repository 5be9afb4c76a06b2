import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { readEnv } from "../env.ts";
import { createTestService, TEST_ORIGIN, type TestService } from "../testing/test-service.ts";
import { makeCall } from "./paid-call.ts";

const env = readEnv({ TURNPIKE_ORIGIN: TEST_ORIGIN });
let database: Database;
let service: TestService;

beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database);
});
afterAll(() => database.close());

/** Makes the call at a service that refuses what this says. */
async function callWithout(refuses: (method: string, path: string) => boolean): Promise<string> {
  vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    if (refuses(request.method, new URL(request.url).pathname)) {
      return Response.json({ code: "unavailable" }, { status: 500 });
    }
    return service.fetch(request.url, { ...init });
  });
  return makeCall(env, { ports: service.ports });
}

/** Active plans and keys of all that was made. */
async function left(): Promise<unknown[]> {
  const plans = await database.query("select plan_id from plans where archived_at is null", []);
  const keys = await database.query("select key_id from api_keys where revoked_at is null", []);
  return [...plans, ...keys];
}

test("one credit is charged, and nothing that was made for it stays active", async () => {
  expect(await callWithout(() => false)).toContain("1 credit charged");
  expect(await left()).toEqual([]);
  // Had it been stopped before it archived its plan, no one else would see it in a list.
  expect(await database.query("select distinct state from plans", [])).toEqual([
    { state: "unlisted" },
  ]);
});

test.each([
  ["the plan is refused", "POST", /\/plans$/],
  ["the agent is refused", "POST", /\/agents$/],
  ["the order is refused", "POST", /\/order$/],
  ["the agent cannot be archived", "POST", /\/agents\/[^/]+\/archive$/],
])("nothing stays active when %s", async (_, method, path) => {
  const refuses = (asked: string, of: string) => asked === method && path.test(of);
  await expect(callWithout(refuses)).rejects.toThrow();
  expect(await left()).toEqual([]);
});
