import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { countRows } from "../testing/count-rows.ts";
import { expectEnvelope } from "../testing/expect-envelope.ts";
import { pretendCards } from "../testing/pretend-rail.ts";
import { createSampleWorld, type SampleWorld } from "../testing/sample-world.ts";
import { createTestService, TEST_ORIGIN, type TestService } from "../testing/test-service.ts";

const BODY_PATHS = [
  "/protocol/plans",
  "/protocol/agents",
  "/protocol/agents/plans",
  "/x402/permissions",
  "/x402/verify",
  "/x402/settle",
  "/x402/release",
  "/delegation/create",
  "/api-keys",
];

describe.each(ruleStores())("requests that are no good as a whole on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let world: SampleWorld;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, { cards: pretendCards });
    world = await createSampleWorld(service);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
    service.fetch(`${TEST_ORIGIN}/api/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.builder.apiKey}`, ...headers },
      body,
    });
  const get = (path: string) =>
    service.fetch(`${TEST_ORIGIN}/api/v1${path}`, {
      headers: { authorization: `Bearer ${world.builder.apiKey}` },
    });

  test.each([
    ["half an object", '{"a":'],
    ["no JSON", "hello"],
    ["two documents", "{}{}"],
    ["single quotes", "{'a':1}"],
    ["a comment", "{} // yes"],
    ["a byte order mark and nothing", "\ufeff"],
    ["an array", "[]"],
    ["a string", '"x"'],
    ["a number", "7"],
    ["true", "true"],
    ["null", "null"],
    ["bytes that are no text", new Uint8Array([0xff, 0xfe, 0x00])],
    ["10 000 arrays in one another", `${"[".repeat(10_000)}${"]".repeat(10_000)}`],
    ["10 000 objects in one another", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`],
    ["an object with a deep member", `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`],
    ["a NUL in a member's name", '{"a\\u0000b":1}'],
    ["half a surrogate pair in a member's name", '{"\\ud800":1}'],
    ["half a surrogate pair deep inside", '{"a":{"b":["\\udc00"]}}'],
  ])("a body that is %s is 422 and writes nothing", async (_what, body) => {
    const before = await countRows(database);
    for (const path of BODY_PATHS) {
      const { status, code } = await expectEnvelope(await post(path, body));
      expect([path, status, code]).toEqual([path, 422, "invalid_input"]);
    }
    expect(await countRows(database)).toEqual(before);
  });

  test.each(["", " ", "\n", "{}"])(
    "the body %j is an empty object: 422 names what is missing",
    async (body) => {
      for (const path of BODY_PATHS) {
        const { status, paths } = await expectEnvelope(await post(path, body));
        expect([path, status]).toEqual([path, 422]);
        expect(paths.every((one) => one !== "")).toBe(true);
      }
    },
  );

  test("a compressed body is told that it is one", async () => {
    const response = await post("/api-keys", gzipSync("{}"), { "content-encoding": "gzip" });
    expect(await response.json()).toMatchObject({
      message: "The body is compressed. Send it without Content-Encoding.",
    });
  });

  test("two idempotency keys that differ are refused, because a repeat may have one of them only", async () => {
    const body = JSON.stringify({ orderId: "none", idempotencyKey: "one" });
    const { status, paths } = await expectEnvelope(
      await post("/refunds", body, { "idempotency-key": "two" }),
    );
    expect([status, paths]).toEqual([422, ["idempotencyKey"]]);
    expect((await post("/refunds", body, { "idempotency-key": "one" })).status).toBe(404);
  });

  test("a body of 1 MB is 413, with and without its length", async () => {
    const body = `{"a":"${"x".repeat(1_000_000)}"}`;
    for (const path of BODY_PATHS) {
      const withLength: Record<string, string> = { "content-length": String(body.length) };
      for (const headers of [{}, withLength]) {
        const { status, code } = await expectEnvelope(await post(path, body, headers));
        expect([status, code]).toEqual([413, "payload_too_large"]);
      }
    }
  });

  test("a verify or settle of more than 4,096 members is 413, however short they are", async () => {
    const bodyOf = (count: number) => {
      const names = Array.from({ length: count }, (_, n) => [`k${n.toString(36)}`, 1]);
      const extensions = { named: Object.fromEntries(names), listed: Array(count).fill({}) };
      return JSON.stringify({ paymentRequired: { extensions }, x402AccessToken: "x" });
    };
    for (const path of ["/x402/verify", "/x402/settle"]) {
      const large = await expectEnvelope(await post(path, bodyOf(2_046)));
      expect([large.status, large.code]).toEqual([413, "payload_too_large"]);
      // One of fewer is read.
      expect(await expectEnvelope(await post(path, bodyOf(2_045)))).toMatchObject({ status: 422 });
    }
  });

  test("T24: members named like an object's own are members, not its prototype", async () => {
    const text =
      '{"__proto__":{"isOperator":true,"name":"x"},"constructor":{"prototype":{"name":"x"}},"name":"key"}';
    const answer = await post("/api-keys", text);
    const { details } = await answer.clone().json();
    expect(await expectEnvelope(answer)).toMatchObject({ status: 422 });
    expect(details).toEqual([{ path: "", message: "Unknown field: constructor." }]);
    expect(Object.hasOwn(Object.prototype, "isOperator")).toBe(false);
    expect(({} as { isOperator?: boolean }).isOperator).toBeUndefined();
    const onlyInherited = await post("/api-keys", '{"__proto__":{"name":"x"}}');
    expect(await expectEnvelope(onlyInherited)).toMatchObject({ status: 422, paths: ["name"] });
  });

  test("the content type of a body does not matter, as the vendor's clients differ in it", async () => {
    for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded"]) {
      const answer = await post("/api-keys", '{"name":"key"}', { "content-type": type });
      expect(answer.status).toBe(200);
    }
  });

  test.each([
    "%",
    "%zz",
    "%c0%af",
    "%ff",
    "%00",
    "%ed%a0%80",
    "a%00b",
    "..%2f..",
    "a%20b",
    "💥",
    "__proto__",
    "constructor",
    "-1",
    "1e3",
    "0x10",
    "9".repeat(5000),
    "a;b=c",
    "a\\b",
    "'--",
  ])("the path member %j is refused or not found everywhere", async (member) => {
    const paths = [
      `/protocol/plans/${member}`,
      `/protocol/plans/${member}/agents`,
      `/protocol/plans/${world.planId}/balance/${member}`,
      `/protocol/plans/${member}/balance/${member}`,
      `/protocol/plans/${member}/subscribers`,
      `/protocol/agents/${member}`,
      `/protocol/agents/${member}/plans`,
      `/orders/${member}`,
      `/delegation/${member}`,
      `/requests/${member}`,
      `/x402/settlements/${member}`,
    ];
    for (const path of paths) {
      const { status } = await expectEnvelope(await get(path));
      expect([404, 422], path).toContain(status);
    }
  });

  test.each([
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=1.5",
    "limit=1e1",
    "limit=",
    "limit=5&limit=abc&page=x",
    "page=0",
    "page=100001",
    "page=99999999999999999999",
    "offset=0",
    "pageSize=%00",
    "cursor=x",
    "cursor=%00",
    `cursor=${"x".repeat(201)}`,
    `cursor=${encode("2026-01-01T00:00:00.000Z a\0b")}`,
    `cursor=${encode("+275760-09-13T00:00:00.000Z x")}`,
    `cursor=${encode("-271821-04-20T00:00:00.000Z x")}`,
    `cursor=${encode("2026-01-01 x")}`,
    `cursor=${Buffer.from([0xff, 0xfe, 0x20, 0xff]).toString("base64url")}`,
    "cursor=99999999999999999999999999999999",
    "cursor=-5",
  ])("the query %s is refused by every list, and the path named", async (query) => {
    const [member] = query.split("=");
    for (const path of [
      "/protocol/plans",
      "/protocol/plans/public",
      "/protocol/agents",
      `/protocol/plans/${world.planId}/agents`,
      `/protocol/plans/${world.planId}/subscribers`,
      `/protocol/agents/${world.agentId}/plans`,
      "/x402/permissions",
      "/delegation",
      "/requests",
    ]) {
      const answer = await get(`${path}?${query}`);
      // A cursor that reads as an instant is one; where it points to is the caller's affair.
      if (answer.status === 200 && query.startsWith("cursor=")) continue;
      const { status, paths } = await expectEnvelope(answer);
      expect([path, status]).toEqual([path, 422]);
      expect(paths.join(), path).toMatch(member === "limit" ? /limit|page/ : (member as string));
    }
  });

  test("a route or a method that is not there answers the envelope", async () => {
    for (const [method, path] of [
      ["GET", "/nowhere"],
      ["POST", "/protocol/plans/1"],
      ["DELETE", "/protocol/plans"],
      ["PATCH", "/x402/verify"],
      ["GET", "/x402/verify"],
      ["PUT", "/sandbox/clock"],
    ] as const) {
      const { status } = await expectEnvelope(await service.call(world.builder, method, path));
      expect([404, 405]).toContain(status);
    }
  });

  test.each([
    "Bearer",
    "Bearer ",
    "Basic dXNlcjpwYXNz",
    "bearer a b",
    "Bearer svc-live:x",
    "Bearer svc-sandbox:",
    "Bearer __proto__",
    `Bearer ${"x".repeat(5000)}`,
    "Bearer ÿþ",
  ])("the Authorization header %j is 401", async (authorization) => {
    for (const path of ["/protocol/plans", "/api-keys", "/requests"]) {
      const answer = await service.fetch(`${TEST_ORIGIN}/api/v1${path}`, {
        headers: { authorization },
      });
      expect(answer.headers.get("www-authenticate")).toContain("Bearer");
      expect(await expectEnvelope(answer)).toMatchObject({ status: 401 });
    }
  });

  test.each(["", "k".repeat(256)])("the Idempotency-Key %j is 422", async (key) => {
    const path = `/protocol/plans/${world.planId}/order`;
    const answer = await post(path, "", { "idempotency-key": key });
    expect(await expectEnvelope(answer)).toMatchObject({ status: 422, paths: ["idempotencyKey"] });
  });
});

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}
