import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { longTest } from "@/lib/testing/in-full.ts";
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

test.each(["http", "https"])("R12, T36: connects to no spelling over %s", async (scheme) => {
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

test("T36: reaches no server on this machine by any spelling", async () => {
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

test("T38: reports a redirect to any spelling without following it", async () => {
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

describe("a name that resolves differently each time", () => {
  test.each(["inside first", "outside first"])("T37: %s: one lookup decides", async (order) => {
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

  test("T37: requires all addresses of a name to be public", async () => {
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

  test("T37: closes a connection to a different address before sending a byte", async () => {
    const before = inside.connections();
    const { send } = spyOutbound({ port: inside.port, remoteOf: () => "127.0.0.1" });
    const { last, events } = await send({ url: "http://agent.example/" });
    expect(last).toMatchObject({ type: "refused", code: "address_refused" });
    expect(events.some(({ type }) => type === "sent")).toBe(false);
    expect(inside.connections()).toBe(before + 1);
  });
});

longTest(
  "connects to no spelling: directly, behind a redirect or behind a changing name",
  async () => {
    const before = inside.connections();
    const reached: string[] = [];
    const left = { direct: 0, redirect: 0, rebinding: 0 };
    for (const host of spellings) {
      const direct = spyOutbound({ names, port: inside.port });
      const refused = await direct.send({ url: `http://${host}/` });
      if (refused.last.type === "refused") left.direct += 1;

      const redirect = spyOutbound({ names, port: redirecting.port });
      const to = encodeURIComponent(`http://${host}/`);
      const moved = await redirect.send({ url: `http://agent.example/?to=${to}` });
      if (moved.text === "moved") left.redirect += 1;

      // The name is public when it is looked at first, and then what the spelling stands for.
      const answers = [[PUBLIC_ADDRESS], addressesOf(host)];
      const rebinding = spyOutbound({
        port: redirecting.port,
        resolve: async () => answers.shift() ?? [PUBLIC_ADDRESS],
      });
      const open = await rebinding.send({ url: "http://flip.example/?to=/" });
      const shut = await rebinding.send({ url: "http://flip.example/?to=/" });
      if (open.text === "moved" && shut.last.type === "refused") left.rebinding += 1;

      const connected = [direct, redirect, rebinding].flatMap((spy) => spy.connected);
      reached.push(...connected.filter((address) => address !== PUBLIC_ADDRESS));
      // The two that may go out are those to the public stand-in: neither asked twice.
      expect(connected, host).toHaveLength(2);
    }
    const all = spellings.length;
    expect(left).toEqual({ direct: all, redirect: all, rebinding: all });
    expect(reached).toEqual([]);
    const connections = reached.length + (inside.connections() - before);
    console.log(`ssrf: ${new Set(spellings).size} spellings x 3, connections ${connections}`);
    expect(connections).toBe(0);
  },
  120_000,
);

/** The addresses that lead a name to where the spelling leads. */
function addressesOf(spelling: string): string[] {
  const host = hostOf(spelling);
  return [...(names[host] ?? [host.replace(/^\[|\]$/g, "")])];
}
