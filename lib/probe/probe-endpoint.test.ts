import type { IncomingMessage, ServerResponse } from "node:http";
import { buildPaymentRequired, encodeHeader } from "@turnpike/payments/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import { listen, OPEN } from "@/lib/adapters/outbound/testing/outbound-bench.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { discoverAgent } from "./discover-agent.ts";
import { type Prober, probeEndpoint } from "./probe-endpoint.ts";
import { probeEndpoints } from "./probe-endpoints.ts";
import type { DiscoveryEvent } from "./report/discovery.ts";

const PLAN = { price: { isCrypto: true }, metadata: { name: "Starter" } };
const ports = {
  plans: { find: async (id: string) => (id === "42" ? PLAN : null) },
  agents: { find: async (id: string) => (id === "7" ? { planIds: ["42"] } : null) },
  networks: { "svc:erc4337": "eip155:84532", "svc:card-delegation": "card-processor" },
  schemeAliases: ["nvm"],
} as unknown as Ports;

const prober: Prober = {
  outbound: createOutbound({ policy: OPEN, userAgent: "Test/1" }),
  ports,
  account: "0x1",
};

const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = await listen((request, response) => {
    request.resume();
    handle(request, response);
  });
  open.push(server);
  return server.url;
}

/** A 402 of this plan for the URL and method that were called. */
function askFor(request: IncomingMessage, response: ServerResponse, planId = "42") {
  const endpoint = `http://${request.headers.host}${request.url}`;
  const httpVerb = request.method ?? "GET";
  const requirement = buildPaymentRequired({ planId, endpoint, httpVerb, agentId: "7" });
  response.writeHead(402, {
    "payment-required": encodeHeader(requirement),
    "cache-control": "no-store",
  });
  response.end("{}");
}

describe("probe outcomes", () => {
  test("ready: a valid 402 with its offer decoded", async () => {
    const url = await serve((request, response) => askFor(request, response));
    const probe = await probeEndpoint(prober, {
      verb: "POST",
      url: `${url}/ask/:id`,
      values: { id: "x" },
    });
    expect(probe).toMatchObject({
      result: "ready",
      status: 402,
      calledUrl: `${url}/ask/x`,
      offers: [{ planId: "42", planName: "Starter", agentId: "7", scheme: "svc:erc4337" }],
    });
    expect(probe.findings.filter(({ state }) => state === "fail")).toEqual([]);
  });

  test("what an offer of money asks is no credits", async () => {
    const url = await serve((request, response) => {
      const accepts = [
        { scheme: "exact", network: "eip155:84532", amount: "10000", extra: { planId: "42" } },
        { scheme: "nvm:erc4337", network: "eip155:84532", planId: "42", amount: "2", extra: {} },
      ];
      const resource = { url: `http://${request.headers.host}${request.url}` };
      const requirement = { x402Version: 2, resource, accepts, extensions: {} };
      response.writeHead(402, { "payment-required": encodeHeader(requirement) }).end("{}");
    });
    const { offers } = await probeEndpoint(prober, { verb: "GET", url });
    expect(offers.map(({ planName, credits }) => [planName, credits])).toEqual([
      ["Starter", null],
      ["Starter", "2"],
    ]);
  });

  test("free: responds without payment", async () => {
    const url = await serve((_request, response) => response.end("free"));
    expect(await probeEndpoint(prober, { verb: "GET", url })).toMatchObject({
      result: "free",
      why: "GET works without payment (200).",
    });
  });

  test.each([405, 404])("wrong-method: responds with %i", async (status) => {
    const url = await serve((request, response) => {
      if (request.method === "POST") askFor(request, response);
      else response.writeHead(status).end();
    });
    expect(await probeEndpoint(prober, { verb: "GET", url: `${url}/ask` })).toMatchObject({
      result: "wrong-method",
      worksWith: "POST",
      why: "POST requires payment, but GET does not.",
    });
  });

  test.each([
    ["a redirect", 302, "redirects"],
    ["a login", 401, "requires a login"],
    ["a failure", 500, "failed before"],
    ["not found", 404, "GET is not found"],
    ["a rejected body", 422, "returned 422"],
  ])("unreachable: %s", async (_what, status, words) => {
    const url = await serve((_request, response) =>
      response.writeHead(status, { location: "http://10.0.0.1/" }).end(),
    );
    const probe = await probeEndpoint(prober, { verb: "GET", url });
    expect(probe).toMatchObject({ result: "unreachable", status });
    expect(probe.why).toContain(words);
  });

  test("unreachable: no listener, or a blocked address", async () => {
    const server = await listen((_request, response) => response.end());
    await server.close();
    const gone = await probeEndpoint(prober, { verb: "GET", url: server.url });
    expect(gone).toMatchObject({ result: "unreachable", status: null });
    const inside = await probeEndpoint(prober, { verb: "GET", url: "http://169.254.169.254/" });
    expect(inside.why).toContain("not on the public internet");
  });

  test("bad-envelope: no header, or a plan that does not exist", async () => {
    const bare = await serve((_request, response) => response.writeHead(402).end());
    expect(await probeEndpoint(prober, { verb: "GET", url: bare })).toMatchObject({
      result: "bad-envelope",
      why: expect.stringContaining("402 has no offer"),
    });
    const wrong = await serve((request, response) => askFor(request, response, "43"));
    expect(await probeEndpoint(prober, { verb: "GET", url: wrong })).toMatchObject({
      result: "bad-envelope",
      why: "Plan 43 was not found.",
    });
  });
});

test("sends the agent's own authentication and no token", async () => {
  const seen: IncomingMessage["headers"][] = [];
  const url = await serve((request, response) => {
    seen.push(request.headers);
    askFor(request, response);
  });
  const access = {
    authType: "BASIC",
    username: "me",
    password: "s3cret",
    headers: { "x-tenant": "a" },
  } as const;
  await probeEndpoint({ ...prober, access }, { verb: "POST", url, sample: '{"a":1}' });
  expect(seen[0]).toMatchObject({
    authorization: `Basic ${Buffer.from("me:s3cret").toString("base64")}`,
    "x-tenant": "a",
    "content-length": "7",
  });
  expect(seen[0]).not.toHaveProperty("payment-signature");
});

test("probes five endpoints at a time and reports each by its index", async () => {
  const running: (() => void)[] = [];
  let most = 0;
  const url = await serve((request, response) => {
    most = Math.max(
      most,
      running.push(() => askFor(request, response)),
    );
  });
  const endpoints = Array.from({ length: 14 }, (_, at) => ({ verb: "GET", url: `${url}/p${at}` }));
  const places: number[] = [];
  const answerAll = async () => {
    for (let left = 14; left > 0; left--) {
      await expect.poll(() => running.length, { interval: 2 }).toBe(Math.min(left, 5));
      running.shift()?.();
    }
  };
  const answered = answerAll();
  for await (const { index, probe } of probeEndpoints(prober, endpoints)) {
    expect(probe.calledUrl).toBe(`${url}/p${index}`);
    places.push(index);
  }
  await answered;
  expect(places.sort((a, b) => a - b)).toEqual(endpoints.map((_, at) => at));
  expect(most).toBe(5);
});

describe("discovery", () => {
  const discover = async (url: string) => {
    const events: DiscoveryEvent[] = [];
    for await (const event of discoverAgent(prober, url)) events.push(event);
    const looks = events.flatMap((event) => (event.type === "looked" ? [event.look] : []));
    return { events, looks, last: events.at(-1) };
  };
  const CARD = { name: "Researcher", url: "http://localhost/a2a", skills: [{}] };

  test("reads no more of a host's documents together than of one", async () => {
    const url = await serve((_, response) => {
      response.end(JSON.stringify({ openapi: "3.1.0", x: "x".repeat(3 * 1024 * 1024) }));
    });
    const { looks } = await discover(`${url}/docs.json`);
    expect(looks.map(({ state }) => state)).toEqual(["found", ...Array(5).fill("failed")]);
    expect(looks.at(-1)?.note).toBe("The host's documents are larger than 5 MiB together.");
  });

  test("checks the URL itself, then the well-known locations", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/.well-known/agent-card.json") response.end(JSON.stringify(CARD));
      else response.writeHead(404).end();
    });
    const { looks, last } = await discover(url);
    expect(looks.map(({ path, state, note }) => [path, state, note])).toEqual([
      ["/", "absent", "404"],
      ["/openapi.json", "absent", "404"],
      ["/.well-known/agent-card.json", "found", "A2A card, 1 skill"],
      ["/.well-known/agent.json", "absent", "404"],
      ["/mcp.json", "absent", "404"],
      ["/.well-known/mcp.json", "absent", "404"],
    ]);
    expect(last).toMatchObject({ type: "done", definition: { kind: "a2a" }, endpoint: null });
  });

  test("finds the method that requires payment on a pasted endpoint", async () => {
    const url = await serve((request, response) => {
      if (request.method === "POST" && request.url === "/ask") askFor(request, response);
      else response.writeHead(404).end();
    });
    const { last } = await discover(`${url}/ask`);
    expect(last).toMatchObject({
      definition: null,
      endpoint: { verb: "POST", url: `${url}/ask`, isPayable: true },
    });
  });

  test("does not retry a silent host and never calls a blocked one", async () => {
    const server = await listen((_request, response) => response.end());
    await server.close();
    const gone = await discover(server.url);
    expect(gone.looks).toHaveLength(1);
    expect(gone.looks[0]).toMatchObject({
      state: "failed",
      note: expect.stringContaining("refused the connection"),
    });
    const inside = await discover("http://192.168.0.1/");
    expect(inside.events).toEqual([
      { type: "refused", code: "address_refused", message: expect.any(String) },
    ]);
  });
});
