import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { reachByPlatform } from "./reach.ts";

const servers: Server[] = [];
const still = new AbortController().signal;

afterEach(async () => {
  vi.unstubAllGlobals();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});

async function listen(
  listener: RequestListener,
): Promise<{ url: string; connections: () => number }> {
  const server = createServer(listener);
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, connections: () => connections };
}

test("method, headers and body arrive, status, headers and text come back, one connection serves all", async () => {
  const { url, connections } = await listen((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      response.writeHead(201, { "Retry-After": "7", "content-type": "text/plain" });
      response.end(`${request.method} ${request.headers["x-one"]} ${body}`);
    });
  });
  const request = { method: "POST", headers: { "x-one": "1" }, body: "zwölf €" };
  for (let round = 0; round < 5; round++) {
    const answer = await reachByPlatform(url, request, still);
    expect(answer.status).toBe(201);
    expect(answer.headers.get("retry-after")).toBe("7");
    expect(answer.headers.get("x-none")).toBeNull();
    expect(await answer.text()).toBe("POST 1 zwölf €");
  }
  expect(connections()).toBe(1);
});

test("a redirect is answered, not followed", async () => {
  const { url } = await listen((_, response) => {
    response.writeHead(307, { location: "http://elsewhere.test/" });
    response.end();
  });
  const answer = await reachByPlatform(url, { method: "POST", headers: {}, body: "{}" }, still);
  expect(answer.status).toBe(307);
  expect(answer.headers.get("location")).toBe("http://elsewhere.test/");
});

test("a signal ends the wait for an answer, and for the rest of one", async () => {
  const silent = await listen(() => {});
  const stuck = await listen((_, response) => void response.write("{"));
  for (const { url } of [silent, stuck]) {
    const controller = new AbortController();
    const answered = reachByPlatform(url, { method: "GET", headers: {} }, controller.signal);
    setTimeout(() => controller.abort(), 50);
    await expect(answered).rejects.toThrow();
  }
});

test("an answer that breaks off fails, and so does an address that refuses connections", async () => {
  const broken = await listen((_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half");
    setTimeout(() => response.destroy(), 20);
  });
  const get = { method: "GET", headers: {} };
  await expect(reachByPlatform(broken.url, get, still)).rejects.toThrow();
  await expect(reachByPlatform("http://127.0.0.1:1/", get, still)).rejects.toThrow("ECONNREFUSED");
});

test("a replaced fetch is the way, and so is fetch where there is no Node", async () => {
  const { url } = await listen((_, response) => response.end("over Node"));
  const get = { method: "GET", headers: {} };
  expect(await (await reachByPlatform(url, get, still)).text()).toBe("over Node");
  vi.stubGlobal("fetch", async () => new Response("replaced"));
  expect(await (await reachByPlatform(url, get, still)).text()).toBe("replaced");
});
