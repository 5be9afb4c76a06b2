import type { ServerResponse } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { OutboundEvent, OutboundRequest } from "@/lib/domain/outbound-ports.ts";
import { createOutbound, type OUTBOUND_LIMITS } from "./outbound.ts";
import { collect, listen, OPEN, spyOutbound } from "./testing/outbound-bench.ts";

const MIB = 1024 * 1024;
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function serve(...[handle]: Parameters<typeof listen>) {
  const server = await listen(handle);
  open.push(server);
  return server;
}

function outboundWith(limits: Partial<typeof OUTBOUND_LIMITS> = {}) {
  const outbound = createOutbound({ policy: OPEN, userAgent: "Turnpike/1", limits });
  return (request: Partial<OutboundRequest> & { url: string }) =>
    collect(outbound.send({ account: "0x1", method: "GET", ...request }));
}

/** A TCP server that says whatever it wants. */
const raw = (talk: (socket: Socket) => void) =>
  serve(
    createTcpServer((socket) => {
      socket.on("error", () => {});
      talk(socket);
    }) as never,
  );

describe("a successful request", () => {
  test("reports its events in order", async () => {
    const { url } = await serve((request, response) => {
      request.resume();
      response.writeHead(402, { "payment-required": "e30=", "content-type": "text/plain" });
      response.end("pay");
    });
    const { events, text } = await outboundWith()({ url, method: "post", body: "hello" });
    const order = ["dns", "connect", "sent", "headers", "chunk", "end"];
    expect(events.map(({ type }) => type)).toEqual(order);
    expect(events[1]).toMatchObject({ address: "127.0.0.1", isSecure: false });
    expect(events[2]).toMatchObject({ bytes: 5, leftOut: [] });
    expect(events[3]).toMatchObject({ status: 402 });
    expect(events[5]).toMatchObject({ bytes: 3, cut: null });
    expect(text).toBe("pay");
    const times = events.map(({ ms }) => ms);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test.each([
    ["HEAD", 200],
    ["GET", 204],
    ["GET", 304],
  ])("%s answered %i has no body, whatever encoding its headers name", async (method, status) => {
    const { url } = await serve((_request, response) =>
      response.writeHead(status, { "content-encoding": "gzip" }).end(),
    );
    const { last } = await outboundWith()({ url, method });
    expect(last).toMatchObject({ type: "end", bytes: 0, cut: null });
  });

  test("T38: sends its user agent and the agent's credentials, and none of ours", async () => {
    const { url, port } = await serve((request, response) =>
      response.end(JSON.stringify(request.headers)),
    );
    const { events, text } = await outboundWith()({
      url,
      authorization: "Bearer agent-login",
      headers: {
        Cookie: "turnpike-session=1",
        Authorization: "Bearer typed",
        "X-Forwarded-For": "10.0.0.1",
        Host: "internal",
        "User-Agent": "Mozilla",
        Connection: "keep-alive, X-Hop",
        "X-Hop": "1",
        "Proxy-Authorization": "x",
        "Sec-Fetch-Site": "same-origin",
        "Payment-Signature": "abc",
      },
    });
    expect(JSON.parse(text)).toEqual({
      host: `127.0.0.1:${port}`,
      connection: expect.any(String),
      "user-agent": "Turnpike/1",
      "accept-encoding": "gzip, deflate, br",
      authorization: "Bearer agent-login",
      "payment-signature": "abc",
    });
    const sent = events.find(({ type }) => type === "sent");
    expect(sent?.type === "sent" && sent.leftOut.sort()).toEqual([
      "authorization",
      "connection",
      "cookie",
      "host",
      "proxy-authorization",
      "sec-fetch-site",
      "user-agent",
      "x-forwarded-for",
      "x-hop",
    ]);
  });

  test.each([
    ["gzip", gzipSync("packed text")],
    ["br", brotliCompressSync("packed text")],
    ["br, gzip", gzipSync(brotliCompressSync("packed text"))],
    ["identity", Buffer.from("packed text")],
  ])("%s answers are unpacked", async (encoding, bytes) => {
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(bytes),
    );
    expect((await outboundWith()({ url })).text).toBe("packed text");
  });

  test.each(["HEAD", "GET"])("%s responses without a body end", async (method) => {
    const { url } = await serve((_request, response) => response.writeHead(204).end());
    expect((await outboundWith()({ url, method })).last).toMatchObject({ type: "end", bytes: 0 });
  });

  test("a dead address is skipped for the host's next one", async () => {
    const server = await serve((_request, response) => response.end("here"));
    const outbound = createOutbound({
      policy: OPEN,
      userAgent: "Test/1",
      resolve: async () => ["::1", "127.0.0.1"],
    });
    const url = `http://localhost:${server.port}/`;
    const { text } = await collect(outbound.send({ account: "0x1", method: "GET", url }));
    expect(text).toBe("here");
  });
});

describe("blocked requests, with a code and a message", () => {
  test("an overlong URL", async () => {
    const { send } = spyOutbound();
    const { last } = await send({ url: `http://a.example/${"x".repeat(2100)}` });
    expect(last).toMatchObject({ type: "refused", code: "url_invalid" });
  });

  test.each([
    ["not a url", "url_invalid"],
    ["file:///etc/passwd", "scheme_refused"],
    ["ftp://a.example/", "scheme_refused"],
    ["gopher://a.example/", "scheme_refused"],
    ["data:text/plain,hi", "scheme_refused"],
    ["javascript:alert(1)", "scheme_refused"],
    ["https://user:secret@a.example/", "credentials_in_url"],
    ["https://a.example:22/", "port_refused"],
    ["https://a.example:6379/", "port_refused"],
  ])("%s is %s", async (url, code) => {
    const { send, connected } = spyOutbound();
    const { events } = await send({ url });
    expect(events).toEqual([
      {
        type: "refused",
        code,
        message: expect.stringMatching(/^\S.{10,}/),
        ms: expect.any(Number),
      },
    ]);
    expect(connected).toEqual([]);
  });

  test("plain http outside the sandbox", async () => {
    const { send } = spyOutbound({
      policy: { allowsHttp: false, loopback: { allows: "nothing" } },
    });
    expect((await send({ url: "http://a.example/" })).last).toMatchObject({
      code: "scheme_refused",
    });
  });

  test.each([
    ["the method CONNECT", { method: "CONNECT" }, "method_refused"],
    ["the method TRACE", { method: "TRACE" }, "method_refused"],
    ["an invalid header name", { headers: { "x y": "1" } }, "header_invalid"],
    ["a header value with a line break", { headers: { "x-a": "1\r\nx-b: 2" } }, "header_invalid"],
    ["40 kB of headers", { headers: { "x-a": "y".repeat(40_000) } }, "header_invalid"],
    [
      "our own key as a header",
      { headers: { "x-a": "svc-sandbox:eyJ.eyJ.abc" } },
      "own_credential",
    ],
    [
      "our own key as the credentials",
      { authorization: "Bearer svc-live:eyJ.e.a" },
      "own_credential",
    ],
    ["a body over 1 MiB", { method: "POST", body: "x".repeat(MIB + 1) }, "request_too_large"],
  ])("%s", async (_name, request, code) => {
    const { send, connected } = spyOutbound();
    expect((await send({ url: "https://a.example/", ...request })).last).toMatchObject({
      type: "refused",
      code,
    });
    expect(connected).toEqual([]);
  });

  test("ports of the service's own parts, and ports that are not listed", async () => {
    const { url, port, connections } = await serve((_request, response) => response.end("db"));
    for (const loopback of [
      { allows: "all", except: new Set([port]) },
      { allows: "ports", ports: new Set([port + 1]) },
    ] as const) {
      const outbound = createOutbound({ policy: { allowsHttp: true, loopback }, userAgent: "x" });
      const { last } = await collect(outbound.send({ account: "0x1", method: "GET", url }));
      expect(last).toMatchObject({ type: "refused", code: "port_refused" });
    }
    expect(connections()).toBe(0);
  });

  test("a foreign name that resolves to this machine, even where loopback is allowed", async () => {
    const { send, connected } = spyOutbound({
      policy: OPEN,
      names: { "evil.example": ["127.0.0.1"] },
    });
    expect((await send({ url: "http://evil.example:3000/" })).last).toMatchObject({
      code: "address_refused",
    });
    expect(connected).toEqual([]);
  });
});

test("a refusal does not tell what a name is inside this network", async () => {
  const { send } = spyOutbound({ policy: OPEN, names: { "db.corp.example": ["10.20.30.40"] } });
  expect((await send({ url: "http://db.corp.example/" })).last).toMatchObject({
    code: "address_refused",
    message: expect.not.stringContaining("10.20.30.40"),
  });
});

describe("hostile servers", () => {
  test("T39: decompresses a gzip bomb up to the limit", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * MIB));
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    );
    const before = process.memoryUsage().rss;
    const { last, text } = await outboundWith()({ url });
    expect(last).toMatchObject({ type: "end", bytes: 5 * MIB, cut: { code: "too_large" } });
    expect(text).toHaveLength(5 * MIB);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
  });

  test("T39: reads an endless response up to the limit and closes the connection", async () => {
    const server = await serve((_request, response) => {
      const pour = () => {
        while (response.write("x".repeat(65_536)));
        response.once("drain", pour);
      };
      pour();
    });
    const { last } = await outboundWith()({ url: server.url, maxBytes: MIB });
    expect(last).toMatchObject({ type: "end", bytes: MIB, cut: { code: "too_large" } });
    await expect.poll(server.open).toBe(0);
  });

  test("T39: closes an endless event stream at the deadline", async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write("data: tick\n\n"), 40);
      response.on("close", () => clearInterval(timer));
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { send } = createOutbound({ policy: OPEN, userAgent: "Turnpike/1" });
    let last: OutboundEvent | undefined;
    for await (const event of send({ account: "0x1", method: "GET", url: server.url })) {
      last = event;
      if (event.type === "chunk") vi.advanceTimersByTime(60_000);
    }
    expect(last).toMatchObject({ type: "end", cut: { code: "total_timeout" } });
    vi.useRealTimers();
    await expect.poll(server.open).toBe(0);
  });

  test("closes an idle stream", async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200).write("first");
    });
    const { last, text } = await outboundWith({ idleMs: 150 })({ url });
    expect(last).toMatchObject({ type: "end", cut: { code: "idle_timeout" } });
    expect(text).toBe("first");
  });

  test("T39: times out on headers that arrive byte by byte", async () => {
    const { url } = await raw((socket) => {
      const head = "HTTP/1.1 200 OK\r\nx-slow: ";
      let at = 0;
      const timer = setInterval(() => socket.write(head[at++] ?? "x"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    const { last } = await outboundWith({ headersMs: 300 })({ url });
    expect(last).toMatchObject({ type: "failed", code: "headers_timeout" });
  });

  test("times out on a server that accepts and stays silent", async () => {
    const { url } = await raw((socket) => socket.resume());
    const { last } = await outboundWith({ headersMs: 200 })({ url });
    expect(last).toMatchObject({ type: "failed", code: "headers_timeout" });
  });

  test.each([
    ["not HTTP", "220 smtp ready\r\n", "answer_malformed"],
    [
      "two lengths",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "answer_malformed",
    ],
    [
      "endless headers",
      `HTTP/1.1 200 OK\r\n${"x-a: yyyyyyyyyyyyyyyy\r\n".repeat(8_000)}`,
      "headers_too_large",
    ],
    ["a closed connection", "", "broken_off"],
  ])("%s", async (_name, text, code) => {
    const { url } = await raw((socket) => {
      socket.resume();
      socket.end(text);
    });
    expect((await outboundWith()({ url })).last).toMatchObject({ type: "failed", code });
  });

  test("shows half a response as incomplete", async () => {
    const { url } = await raw((socket) => {
      socket.resume();
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    });
    const { last, text } = await outboundWith()({ url });
    expect(last).toMatchObject({ type: "end", cut: { code: "broken_off" } });
    expect(text).toBe("half");
  });

  test.each(["gzip", "br", "zstd", "gzip, gzip, gzip, gzip"])(
    "bytes that only claim to be %s are said to be that",
    async (encoding) => {
      const { url } = await serve((_request, response) =>
        response.writeHead(200, { "content-encoding": encoding }).end("not packed at all"),
      );
      const { last } = await outboundWith()({ url });
      expect(last).toMatchObject({ type: "end", cut: { code: "bad_encoding" } });
    },
  );

  test("a closed port, and a name that does not exist", async () => {
    const server = await listen((_request, response) => response.end());
    await server.close();
    const send = outboundWith();
    expect((await send({ url: server.url })).last).toMatchObject({ code: "connect_refused" });
    const { send: ask } = spyOutbound({
      resolve: () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })),
    });
    expect((await ask({ url: "https://unknown.example/" })).last).toMatchObject({
      type: "failed",
      code: "name_unknown",
    });
  });

  test("times out on a silent name server", async () => {
    const { send } = spyOutbound({
      resolve: () => new Promise(() => {}),
      limits: { connectMs: 100 },
    });
    expect((await send({ url: "https://slow.example/" })).last).toMatchObject({
      code: "connect_timeout",
    });
  });

  test("a server without TLS", async () => {
    const { url } = await serve((_request, response) => response.end());
    const { last } = await outboundWith()({ url: url.replace("http:", "https:") });
    expect(last).toMatchObject({ type: "failed", code: "tls_invalid" });
  });
});

describe("concurrency and aborts", () => {
  test("an account has five requests at a time, without blocking other accounts", async () => {
    const open: ServerResponse[] = [];
    let isAnswering = false;
    let most = 0;
    const answerAll = () => {
      for (const response of open.splice(0)) response.end("done");
    };
    const { url } = await serve((_request, response) => {
      most = Math.max(most, open.push(response));
      if (isAnswering) answerAll();
    });
    const send = outboundWith();
    const sendAll = (count: number, account?: string) =>
      Array.from({ length: count }, () => send({ url, ...(account && { account }) }));
    const first = sendAll(12);
    await expect.poll(() => open.length).toBe(5);
    const others = sendAll(5, "0x2");
    await expect.poll(() => open.length).toBe(10);
    isAnswering = true;
    answerAll();
    const seen = await Promise.all([...first, ...others]);
    expect(seen.map(({ text }) => text)).toEqual(Array(17).fill("done"));
    expect(most).toBe(10);
  });

  test("a request that waits too long is rejected with a reason", async () => {
    const waiting: ServerResponse[] = [];
    const { url } = await serve((_request, response) => void waiting.push(response));
    const send = outboundWith({ inFlight: 1, turnMs: 50 });
    const running = send({ url });
    const second = await send({ url });
    await expect.poll(() => waiting.length).toBe(1);
    for (const response of waiting) response.end();
    const first = await running;
    expect(first.last).toMatchObject({ type: "end" });
    expect(second.last).toMatchObject({ type: "refused", code: "too_many" });
  });

  test("an aborted request ends at once, closes its connection and frees its slot", async () => {
    const server = await serve(() => {});
    const send = outboundWith({ inFlight: 1 });
    const stop = new AbortController();
    const waiting = send({ url: server.url, signal: stop.signal });
    await expect.poll(server.open).toBe(1);
    stop.abort();
    expect((await waiting).last).toMatchObject({ type: "failed", code: "aborted" });
    await expect.poll(server.open).toBe(0);
    const again = send({ url: server.url, signal: AbortSignal.timeout(50) });
    expect((await again).last).toMatchObject({ type: "failed", code: "aborted" });
  });

  test("a reader that stops closes the connection", async () => {
    const server = await serve((_request, response) => {
      response.write("first");
    });
    const outbound = createOutbound({ policy: OPEN, userAgent: "x" });
    for await (const event of outbound.send({ account: "0x1", method: "GET", url: server.url })) {
      if (event.type === "chunk") break;
    }
    await expect.poll(server.open).toBe(0);
  });
});
