import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createRateLimits } from "../pipeline/rate-limits.ts";
import { createTestService } from "../testing/test-service.ts";
import { CLIENT_ADDRESS_HEADER } from "./client-address.ts";
import { guardPages } from "./guard-pages.ts";
import { closeServer, listen } from "./http-server.ts";

/** Each poll moves fake timers by its interval, here by nothing: pages keep their turns. */
const SOON = { interval: 0, timeout: 10_000 };
const OFF = { signIn: 0, api: 0, verify: 0, outbound: 0, publicCalls: 0, pages: 0 };

let database: Database;
let isPaying = false;
let server: ReturnType<typeof createServer>;
/** Pages that are being rendered, by their path; they end when the test says so. */
const rendering = new Map<string, ServerResponse>();
const rendered: string[] = [];

beforeAll(async () => {
  database = await openRuleStore();
  const { ports, ...service } = createTestService(database);
  const pipeline = { ...service.pipeline, isPaying: () => isPaying };
  const env = { origin: "http://localhost" };
  const parts = { limits: createRateLimits(OFF), pipeline, ports, env };
  const pages = guardPages(parts, ({ url = "" }, response) => {
    rendered.push(url);
    rendering.set(url, response);
  });
  server = createServer(pages);
  await listen(server, 0, "127.0.0.1");
});
afterEach(async () => {
  vi.useRealTimers();
  isPaying = false;
  // A page that waits while its reader leaves would be rendered in the next test.
  await expect.poll(finishAll, SOON).toBe(0);
  rendering.clear();
  rendered.length = 0;
});
afterAll(async () => {
  await closeServer(server);
  await database.close();
});

/** Pages keep their turns, however slow the machine is. */
const stopTurns = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
/** Ends every page; how many connections are left. */
const finishAll = () => {
  for (const response of rendering.values()) response.end();
  return new Promise<number>((found) => server.getConnections((_, count) => found(count)));
};
function ask(
  path: string,
  address = "203.0.113.7",
  more: Record<string, string> = {},
  method = "GET",
) {
  const { port } = server.address() as AddressInfo;
  const headers = { [CLIENT_ADDRESS_HEADER]: address, ...more };
  const asked = request({ port, host: "127.0.0.1", path, method, headers, agent: false });
  asked.on("error", () => {});
  asked.on("response", (answer) => answer.resume());
  asked.end();
  const answer = once(asked, "response") as Promise<[IncomingMessage]>;
  answer.catch(() => {});
  return { asked, answer };
}

test("T20: four pages render at once, the others in turn, and one whose reader has left not at all", async () => {
  stopTurns();
  const all = Array.from({ length: 4 }, (_, index) => ask(`/${index}`));
  await expect.poll(() => rendering.size, SOON).toBe(4);
  const leaver = ask("/left");
  const [, left] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  leaver.asked.destroy();
  await once(left, "close");
  const last = ask("/last");
  rendering.get("/0")?.end();
  await expect.poll(() => rendered, SOON).toContain("/last");
  finishAll();
  const answers = await Promise.all([...all, last].map(({ answer }) => answer));
  expect(answers.map(([{ statusCode }]) => statusCode)).toEqual([200, 200, 200, 200, 200]);
  expect(rendered).not.toContain("/left");
});

test("T20: beyond two hundred that wait, a page is 503 with Retry-After", async () => {
  const all = Array.from({ length: 230 }, (_, index) => ask(`/${index}`, `203.0.113.${index % 5}`));
  const first = await Promise.race(all.map(({ answer }) => answer));
  expect(first[0].statusCode).toBe(503);
  expect(first[0].headers["retry-after"]).toBe("1");
  // A page that waits for its data gives its turn to the next.
  await expect.poll(() => rendering.size, SOON).toBeGreaterThan(4);
  for (const { asked } of all) asked.destroy();
});

test("T20: while payments are under way, an address whose pages took five seconds of the thread renders two at once, each followed by a pause", async () => {
  stopTurns();
  isPaying = true;
  const spent = { idle: 0, active: 6_000, utilization: 0.1 };
  const took = vi.spyOn(performance, "eventLoopUtilization").mockReturnValue(spent);
  const all = [ask("/long")];
  await expect.poll(() => rendering.size, SOON).toBe(1);
  const long = rendering.get("/long") as ServerResponse;
  long.end();
  await once(long, "close");
  took.mockReturnValue({ ...spent, active: 60_000 });
  all.push(ask("/1"));
  await expect.poll(() => rendered, SOON).toContain("/1");
  all.push(ask("/2"));
  await once(server, "request");
  // Another address does not wait for the pause.
  all.push(ask("/other", "203.0.113.8"));
  await expect.poll(() => rendered, SOON).toContain("/other");
  // Five times its six seconds.
  vi.advanceTimersByTime(29_000);
  await new Promise(setImmediate);
  expect(rendered).not.toContain("/2");
  vi.advanceTimersByTime(1_000);
  await expect.poll(() => rendered, SOON).toContain("/2");
  took.mockRestore();
  isPaying = false;
  // Pauses that were begun end too.
  vi.runAllTimers();
  for (const { asked } of all) asked.destroy();
});

test("while payments are under way, four pages of an address that took less render at once", async () => {
  stopTurns();
  isPaying = true;
  const address = "203.0.113.9";
  const all = Array.from({ length: 4 }, (_, index) => ask(`/${index}`, address));
  await expect.poll(() => rendering.size, SOON).toBe(4);
  all.push(ask("/next", address));
  rendering.get("/0")?.end();
  await expect.poll(() => rendered, SOON).toContain("/next");
  for (const { asked } of all) asked.destroy();
});

test("T20: beyond fifty that wait of one address, its pages are 503, and another's are next", async () => {
  stopTurns();
  const all = Array.from({ length: 4 }, (_, index) => ask(`/${index}`));
  await expect.poll(() => rendering.size, SOON).toBe(4);
  all.push(...Array.from({ length: 51 }, (_, index) => ask(`/waits/${index}`)));
  const [refused] = await Promise.race(all.map(({ answer }) => answer));
  expect(refused.statusCode).toBe(503);
  const visitor = ask("/visitor", "203.0.113.8");
  await once(server, "request");
  for (const done of ["/0", "/1"]) rendering.get(done)?.end();
  await expect.poll(() => rendered, SOON).toHaveLength(6);
  expect(rendered).toContain("/visitor");
  for (const { asked } of [...all, visitor]) asked.destroy();
});

test.each([
  "/_next/static/../../playground/frame",
  "/_next/static/%2e%2e/%2E%2e/playground/frame",
  "/_next/static/.%2e/../playground/frame?a=1",
  "/_next/static/a/..%2f..%2f..%2fplayground/frame",
  "/_next/static/..\\..\\playground/frame",
  "/_next/static/%252e%252e/%252e%252e/playground/frame",
])("T20: %s waits for its turn as a page does, and a static file does not", async (path) => {
  stopTurns();
  for (let index = 0; index < 4; index++) ask(`/${index}`);
  await expect.poll(() => rendering.size, SOON).toBe(4);
  const file = "/_next/static/chunks/%5Bid%5D/a-1._.js?dpl=..%2f";
  const escaped = ask(path);
  await once(server, "request");
  ask(file);
  await expect.poll(() => rendered, SOON).toContain(file);
  expect(rendered).not.toContain(path);
  finishAll();
  await expect.poll(() => rendered, SOON).toContain(path);
  finishAll();
  await escaped.answer;
});

test.each([
  ["another site's page", "https://evil.example", 403],
  ["a page without an origin", "null", 403],
  ["no page", "nonsense", 403],
  ["one of ours", "http://localhost", 200],
])("a form sent by %s, whose origin is %s, is %i", async (_, origin, status) => {
  const { answer } = ask("/sign-in", undefined, { origin }, "POST");
  if (status === 200) {
    await expect.poll(() => rendered, SOON).toEqual(["/sign-in"]);
    finishAll();
  }
  expect((await answer)[0].statusCode).toBe(status);
  expect(rendered).toHaveLength(status === 200 ? 1 : 0);
});
