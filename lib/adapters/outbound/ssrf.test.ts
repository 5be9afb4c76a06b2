import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOutbound } from "./outbound.ts";
import { collect, listen, PUBLIC_ADDRESS, STRICT, spyOutbound } from "./testing/outbound-bench.ts";
import { DENIED_ADDRESSES, DENIED_HOSTS, DENIED_NAMES } from "./testing/ssrf-corpus.ts";

const hostOf = (name: string) => new URL(`http://${name}`).hostname;
const names = Object.fromEntries(
  Object.entries(DENIED_NAMES).map(([name, addresses]) => [hostOf(name), addresses]),
);
const spellings = [...DENIED_HOSTS, ...Object.keys(DENIED_NAMES)];

let inside: Awaited<ReturnType<typeof listen>>;
let redirecting: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  inside = await listen((_request, response) => response.end("secret"));
  redirecting = await listen((request, response) => {
    const to = decodeURIComponent(
      new URL(request.url ?? "/", "http://x").searchParams.get("to") ?? "",
    );
    response.writeHead(302, { location: encodeURI(to) }).end("moved");
  });
});
afterAll(() => Promise.all([inside.close(), redirecting.close()]));

test("the corpus has at least 200 spellings", () => {
  expect(new Set(spellings).size).toBeGreaterThanOrEqual(200);
});

test.each(["http", "https"])("no spelling over %s is connected to", async (scheme) => {
  const { send, connected } = spyOutbound({ names });
  const let_through: string[] = [];
  for (const host of spellings) {
    const { events, last } = await send({ url: `${scheme}://${host}/latest/meta-data` });
    const isExplained = last.type === "refused" && last.message.length > 10;
    if (!isExplained || events.length !== 1) let_through.push(`${host}: ${JSON.stringify(events)}`);
  }
  expect(let_through).toEqual([]);
  expect(connected).toEqual([]);
});

test("no spelling reaches a server that listens on this machine", async () => {
  const outbound = createOutbound({
    policy: { ...STRICT, loopback: { allows: "ports", ports: new Set([1]) } },
    userAgent: "Test/1",
  });
  const loopback = DENIED_HOSTS.filter((host) => /127|^\[::1|^0|7f|①②⑦/.test(host));
  expect(loopback.length).toBeGreaterThan(20);
  for (const host of [...loopback, "localhost", "localhost.", "[::1]"]) {
    const url = `http://${host}:${inside.port}/`;
    const { last } = await collect(outbound.send({ account: "0x1", method: "GET", url }));
    expect(["refused", "failed"], `${host} ${JSON.stringify(last)}`).toContain(last.type);
  }
  expect(inside.connections()).toBe(0);
});

test("a redirect to any spelling is reported and not followed", async () => {
  const { send, connected, resolved } = spyOutbound({ names, port: redirecting.port });
  for (const host of spellings) {
    const to = encodeURIComponent(`http://${host}/`);
    const { events, text } = await send({ url: `http://agent.example/?to=${to}` });
    const head = events.find((event) => event.type === "headers");
    expect(head).toMatchObject({ status: 302 });
    expect(head?.type === "headers" && head.headers.map(([name]) => name)).toContain("location");
    expect(text).toBe("moved");
  }
  expect(new Set(connected)).toEqual(new Set([PUBLIC_ADDRESS]));
  expect(connected).toHaveLength(spellings.length);
  expect(new Set(resolved)).toEqual(new Set(["agent.example"]));
});

describe("a name that changes between answers", () => {
  test.each(["inside first", "outside first"])("%s: one answer decides", async (order) => {
    for (const inner of DENIED_ADDRESSES) {
      let asked = order === "inside first" ? 0 : 1;
      const { send, connected, resolved } = spyOutbound({
        port: redirecting.port,
        resolve: async () => [asked++ % 2 === 0 ? inner : PUBLIC_ADDRESS],
      });
      const first = await send({ url: "http://flip.example/?to=/" });
      const second = await send({ url: "http://flip.example/?to=/" });
      const [refused, answered] = order === "inside first" ? [first, second] : [second, first];
      expect(refused.last, inner).toMatchObject({ type: "refused", code: "address_refused" });
      expect(answered.last, inner).toMatchObject({ type: "end", cut: null });
      expect(connected).toEqual([PUBLIC_ADDRESS]);
      expect(resolved).toHaveLength(2);
    }
  });

  test("all addresses of a name must be public", async () => {
    for (const inner of DENIED_ADDRESSES) {
      for (const answers of [
        [PUBLIC_ADDRESS, inner],
        [inner, PUBLIC_ADDRESS],
      ]) {
        const { send, connected } = spyOutbound({ resolve: async () => answers });
        const { last } = await send({ url: "http://many.example/" });
        expect(last, inner).toMatchObject({ type: "refused", code: "address_refused" });
        expect(connected).toEqual([]);
      }
    }
  });

  test("a connection that ended elsewhere is closed before a byte is sent", async () => {
    const before = inside.connections();
    const { send } = spyOutbound({ port: inside.port, remoteOf: () => "127.0.0.1" });
    const { last, events } = await send({ url: "http://agent.example/" });
    expect(last).toMatchObject({ type: "refused", code: "address_refused" });
    expect(events.some(({ type }) => type === "sent")).toBe(false);
    expect(inside.connections()).toBe(before + 1);
  });
});
