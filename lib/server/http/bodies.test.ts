import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { openSession } from "@/lib/domain/accounts/sessions.ts";
import { createRateLimits } from "../pipeline/rate-limits.ts";
import { createTestService, type TestParty, type TestService } from "../testing/test-service.ts";
import { guardPages } from "./guard-pages.ts";
import { closeServer, createHttpServer, listen } from "./http-server.ts";
import { createWebhooks } from "./webhooks.ts";

const ORIGIN = "http://localhost";
const PART = Buffer.alloc(64 * 1024, 120);
/** More than any door takes, with what the sockets of both sides hold. */
const FLOOD_PARTS = 1024;
const OFF = { signIn: 0, api: 0, verify: 0, outbound: 0, publicCalls: 0, pages: 0 };
const SIGNATURE = `t=1,v1=${"0".repeat(64)}`;

describe("a body that is too large", () => {
  let database: Database;
  let service: TestService;
  let party: TestParty;
  let cookie: string;
  let server: ReturnType<typeof createHttpServer>;
  let pageBytes = 0;
  const info = vi.fn();
  const warn = vi.fn();

  beforeAll(async () => {
    const [store] = ruleStores();
    if (!store) throw new Error("There is no store to test on.");
    database = await store.open();
    service = createTestService(database, { log: { info, warn, error: warn } });
    const { ports, pipeline } = service;
    party = await service.party();
    cookie = `turnpike-session=${await openSession(ports, party.address, "demo")}`;
    const webhooks = createWebhooks(ports, async (body) => {
      expect(body.length).toBeLessThan(FLOOD_PARTS * PART.length);
      return { outcome: "ignored" };
    });
    const limits = createRateLimits(OFF);
    const pages = guardPages(
      { limits, pipeline, ports, env: { origin: ORIGIN } },
      (asked, answer) => {
        asked.on("data", (part: Buffer) => {
          pageBytes += part.length;
        });
        asked.on("end", () => answer.end("page"));
        asked.on("error", () => {});
      },
    );
    server = createHttpServer({ api: { fetch: service.serve }, webhooks }, pages);
    await listen(server, 0, "127.0.0.1");
  });
  afterAll(async () => {
    await closeServer(server);
    await database.close();
  });

  const post = (path: string, headers: Record<string, string> = {}): ClientRequest => {
    const { port } = server.address() as AddressInfo;
    const asked = request({ port, host: "127.0.0.1", path, method: "POST", headers, agent: false });
    // The server ends the connection while the body is being sent.
    asked.on("error", () => {});
    return asked;
  };
  const answerTo = async (asked: ClientRequest) => {
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    answer.resume();
    await once(answer, "close");
    return answer;
  };

  /** Sends parts without declaring a length until the connection ends; how much was sent. */
  async function flood(path: string, headers: Record<string, string>) {
    const asked = post(path, headers);
    const closed = new Promise<void>((done) => asked.once("close", () => done()));
    let status = 0;
    asked.once("response", (answer) => {
      status = answer.statusCode ?? 0;
      answer.resume();
    });
    let parts = 0;
    for (; parts < FLOOD_PARTS && !asked.destroyed; parts++) {
      const taken = new Promise<void>((done) => asked.write(PART, () => done()));
      await Promise.race([taken, closed]);
    }
    asked.end();
    await closed;
    return { status, parts };
  }

  const withKey = () => ({ authorization: `Bearer ${party.apiKey}` });

  test.each([
    ["an operation", "/api/v1/api-keys", withKey, 413],
    ["verify", "/api/v1/x402/verify", withKey, 413],
    ["settle", "/api/v1/x402/settle", withKey, 413],
    ["an operation without a valid key", "/api/v1/api-keys", () => ({}), 401],
    ["a route that does not exist", "/api/v1/nowhere", () => ({}), 404],
    ["webhooks", "/api/webhooks/cards", () => ({ "stripe-signature": SIGNATURE }), 413],
    ["webhooks without a signature", "/api/webhooks/cards", () => ({}), 400],
    ["a page", "/playground/send", () => ({}), 413],
    ["a page for someone signed in", "/playground/send", () => ({ cookie }), 413],
  ])("T24: %s ends the connection before 64 MB have come", async (_, path, headers, expected) => {
    const { status, parts } = await flood(path, headers());
    // The reset of the connection can overtake the answer.
    expect([expected, 0]).toContain(status);
    expect(parts).toBeLessThan(FLOOD_PARTS / 2);
  });

  test("T24: a declared length is refused before the first byte", async () => {
    for (const [path, headers] of [
      ["/api/v1/api-keys", withKey()],
      ["/api/v1/x402/verify", withKey()],
      ["/api/webhooks/cards", { "stripe-signature": SIGNATURE }],
      ["/explore", {}],
      ["/explore", { cookie }],
    ] as const) {
      const asked = post(path, { ...headers, "content-length": "300000000" });
      asked.flushHeaders();
      const answer = await answerTo(asked);
      expect([path, answer.statusCode]).toEqual([path, 413]);
      expect(answer.headers.connection).toBe("close");
      expect(answer.headers["content-type"]).toBe("application/problem+json");
    }
  });

  test("T24: a key is looked at before the body is read", async () => {
    for (const path of ["/api-keys", "/x402/verify", "/x402/settle", "/protocol/plans"]) {
      for (const authorization of [undefined, `Bearer svc-sandbox:${randomUUID()}`]) {
        const asked = post(`/api/v1${path}`, authorization ? { authorization } : {});
        asked.flushHeaders();
        // No byte of the body was sent.
        expect([path, (await answerTo(asked)).statusCode]).toEqual([path, 401]);
        asked.destroy();
      }
    }
  });

  test("T24: someone signed in may send a page more than a stranger", async () => {
    const large = String(PART.length + 1);
    const refused = post("/playground/send", { "content-length": large });
    refused.flushHeaders();
    expect((await answerTo(refused)).statusCode).toBe(413);
    pageBytes = 0;
    const accepted = post("/playground/send", { "content-length": large, cookie });
    accepted.end(Buffer.concat([PART, Buffer.from("x")]));
    expect((await answerTo(accepted)).statusCode).toBe(200);
    expect(pageBytes).toBe(PART.length + 1);
  });

  test("a body that the client cut off is logged as that", async () => {
    info.mockClear();
    const asked = post("/api/v1/api-keys", { ...withKey(), "content-length": "1000" });
    const received = once(server, "request");
    asked.write("{");
    await received;
    // The body's reader waits for the rest.
    await new Promise(setImmediate);
    asked.destroy();
    await vi.waitFor(
      () =>
        expect(info.mock.calls.map(([, text]) => text)).toContain(
          "the client left before the end of its request",
        ),
      { timeout: 10_000 },
    );
    expect(warn).not.toHaveBeenCalledWith(expect.anything(), "database unavailable");
  });

  test("T33: every answer of the API says how browsers must take it", async () => {
    for (const path of ["/api/v1/health", "/api/v1/nowhere", "/api/webhooks/cards", "/api/v1/%"]) {
      const { headers } = await answerTo(post(path).end());
      expect(headers, path).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      });
    }
  });
});
