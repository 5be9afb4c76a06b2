import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { readEnv } from "../env.ts";
import { closeServer, createHttpServer, listen } from "../http/http-server.ts";
import { createTestService } from "../testing/test-service.ts";
import { runCheck } from "./check.ts";
import { edgeChecks } from "./edge-checks.ts";

afterEach(() => vi.unstubAllGlobals());

const env = readEnv({
  TURNPIKE_ORIGIN: "https://pay.example",
  STRIPE_SECRET_KEY: "sk_test_1",
  STRIPE_PUBLISHABLE_KEY: "pk_test_1",
  STRIPE_WEBHOOK_SECRET: "whsec_1",
});

test("the check of the webhook secret claims no more than it sees: that the service has the same one", async () => {
  const checks = edgeChecks(env, () => new Date());
  const secret = checks.find(({ name }) => name === "webhook secret");
  if (!secret) throw new Error("There is no check of the secret.");
  vi.stubGlobal("fetch", async () => Response.json({ received: true }));
  expect(await runCheck(secret)).toMatchObject({
    ok: true,
    found: "the service has the same; Stripe's list of deliveries shows whether they are Stripe's",
  });
  vi.stubGlobal("fetch", async () => Response.json({}, { status: 400 }));
  expect(await runCheck(secret)).toMatchObject({
    ok: false,
    cause: expect.stringContaining("answers 400"),
  });
});

/** A proxy that appends its peer to `X-Forwarded-For`, as the guide's does. */
const proxyTo = (port: number) =>
  createServer((asked, answer) => {
    const told = asked.headers["x-forwarded-for"];
    const peer = asked.socket.remoteAddress;
    const headers = { ...asked.headers, "x-forwarded-for": told ? `${told}, ${peer}` : peer };
    const { url: path, method } = asked;
    const passed = request({ port, path, method, headers, agent: false }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    asked.pipe(passed);
  });

test("more trusted proxies than there are is a fault: clients would choose the address that limits count", async () => {
  const [store] = ruleStores();
  if (!store) throw new Error("There is no store to test on.");
  const database = await store.open();
  const { serve } = createTestService(database);
  const checkWith = async (trustedProxies: number) => {
    const about = { origin: "", trustedProxies };
    const endpoint = { fetch: serve };
    const server = createHttpServer({ api: endpoint, webhooks: endpoint, env: about }, null);
    await listen(server, 0, "127.0.0.1");
    const proxy = proxyTo((server.address() as AddressInfo).port);
    await listen(proxy, 0, "127.0.0.1");
    const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const checks = edgeChecks({ ...env, origin, trustedProxies }, () => new Date());
    const check = checks.find(({ name }) => name === "proxy");
    try {
      return check && (await runCheck(check));
    } finally {
      await Promise.all([closeServer(server), closeServer(proxy)]);
    }
  };
  expect(await checkWith(0)).toMatchObject({ ok: false, cause: expect.stringContaining("is 0") });
  expect(await checkWith(1)).toMatchObject({ ok: true, found: "TRUSTED_PROXIES is 1" });
  for (const tooMany of [2, 10]) {
    expect(await checkWith(tooMany)).toMatchObject({
      ok: false,
      cause: expect.stringContaining(`TRUSTED_PROXIES is ${tooMany}`),
      remedy: expect.stringContaining("Lower it"),
    });
  }
  await database.close();
});

test("a firewall that refuses the forged address leaves it untried, and the check says so", async () => {
  const server = createServer(({ headers }, answer) => {
    answer.writeHead(headers["x-forwarded-for"] === undefined ? 200 : 403).end("{}");
  });
  await listen(server, 0, "127.0.0.1");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const checks = edgeChecks({ ...env, origin, trustedProxies: 5 }, () => new Date());
  const check = checks.find(({ name }) => name === "proxy");
  const found = check && (await runCheck(check));
  await closeServer(server);
  expect(found).toMatchObject({ ok: true, found: expect.stringContaining("not tried") });
});
