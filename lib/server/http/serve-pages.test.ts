import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compressStatic } from "../../../scripts/compress-static.mjs";
import { HINT, hintScripts } from "../../../scripts/hint-scripts.mjs";
import { closeServer, listen } from "./http-server.ts";
import { servePages } from "./serve-pages.ts";

const ASYNC = '<script src="/_next/static/chunks/a.js" async="" nonce="n1"></script>';
const HELD = ASYNC.replace("<script ", '<script type="text/held" ');
const SCRIPT = "export const text = 'a script that is worth compressing';".repeat(50);

let folder: string;
let server: ReturnType<typeof createServer>;
let page: (request: IncomingMessage, response: ServerResponse) => unknown = () => {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "static-"));
  await mkdir(join(folder, "chunks"));
  await writeFile(join(folder, "chunks/a.js"), SCRIPT);
  await compressStatic(folder);
  server = createServer(servePages((...exchange) => page(...exchange), folder));
  await listen(server, 0, "127.0.0.1");
});
afterAll(async () => {
  await closeServer(server);
  await rm(folder, { recursive: true });
});

async function get(path: string, encoding?: string) {
  const { port } = server.address() as AddressInfo;
  const headers = encoding === undefined ? {} : { "accept-encoding": encoding };
  const asked = request({ port, host: "127.0.0.1", path, agent: false, headers }).end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  return { headers: answer.headers, bytes: await buffer(answer) };
}

test("the scripts of every page ask to be compiled as they load, those of single pages do not", async () => {
  const distDir = await mkdtemp(join(tmpdir(), "dist-"));
  const [root, single] = ["root.js", "single.js"].map((name) => join(distDir, name));
  await Promise.all([root, single].map((path = "") => writeFile(path, SCRIPT)));
  const manifest = JSON.stringify({ rootMainFiles: ["root.js"] });
  await writeFile(join(distDir, "build-manifest.json"), manifest);
  await hintScripts(distDir);
  await hintScripts(distDir);
  expect(await readFile(root ?? "", "utf8")).toBe(HINT + SCRIPT);
  expect(await readFile(single ?? "", "utf8")).toBe(SCRIPT);
  await rm(distDir, { recursive: true });
});

async function htmlOf(send: (response: ServerResponse) => unknown): Promise<string> {
  page = (_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    return send(response);
  };
  return (await get("/")).bytes.toString();
}

test("the scripts of an error's bare document are left: nothing else would run them", async () => {
  const html = `<!DOCTYPE html><html id="__next_error__"><head>${ASYNC}</head><body></body></html>`;
  for (let cut = 0; cut <= html.length; cut += 1) {
    const sent = await htmlOf((response) => {
      response.write(html.slice(0, cut));
      response.end(html.slice(cut));
    });
    expect(sent).toBe(html);
  }
});

test("a page's scripts are held wherever the page is cut, within a character too", async () => {
  const html = Buffer.from(`<p>5 € < 6</p>${ASYNC}<p>é</p>${ASYNC}`);
  for (let cut = 0; cut <= html.length; cut += 1) {
    const held = await htmlOf((response) => {
      response.write(html.subarray(0, cut));
      response.end(html.subarray(cut));
    });
    expect(held).toBe(html.toString().replaceAll(ASYNC, HELD));
  }
});

test("a page that is sent at once is sent whole, without the early request for a script", async () => {
  const preload = '<link rel="preload" as="script" fetchPriority="low" nonce="n1" href="/a.js"/>';
  const html = `${preload}${ASYNC}<p>end</p>`;
  const held = await htmlOf((response) => {
    response.setHeader("content-length", html.length);
    response.end(html);
  });
  expect(held).toBe(`${HELD}<p>end</p>`);
});

test("inline scripts, scripts for old browsers, and what is no page stay as they are", async () => {
  const others = `<script nonce="n1">1 < 2</script><script src="/_next/static/old.js" noModule="" nonce="n1"></script>`;
  expect(await htmlOf((response) => response.end(others))).toBe(others);
  page = (_, response) => {
    response.setHeader("content-type", "text/x-component");
    response.write(ASYNC);
    response.end();
  };
  expect((await get("/data")).bytes.toString()).toBe(ASYNC);
});

test("a page is compressed with brotli where the browser takes it, otherwise with gzip", async () => {
  const html = ASYNC.repeat(100);
  page = (_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(html);
  };
  const brotli = await get("/", "gzip, deflate, br");
  expect(brotli.headers).toMatchObject({ "content-encoding": "br", vary: "Accept-Encoding" });
  expect(brotliDecompressSync(brotli.bytes).toString()).toBe(HELD.repeat(100));
  expect((await get("/", "gzip")).headers["content-encoding"]).toBe("gzip");
  expect((await get("/")).bytes.toString()).toBe(HELD.repeat(100));
});

test("a built script is asked for as its compressed copy, unless the browser does not take it", async () => {
  const asked: string[] = [];
  page = ({ url = "" }, response) => {
    asked.push(url);
    response.end();
  };
  const path = "/_next/static/chunks/a.js";
  expect((await get(`${path}?v=1`, "gzip, br")).headers).toMatchObject({
    "content-encoding": "br",
    "content-type": "application/javascript; charset=UTF-8",
    vary: "accept-encoding",
  });
  expect((await get(path, "gzip, br;q=0")).headers).not.toHaveProperty("content-encoding");
  await get(path);
  await get("/_next/static/chunks/none.js", "br");
  await get("/_next/static/../../a.js", "br");
  expect(asked).toEqual([
    `${path}.br?v=1`,
    path,
    path,
    "/_next/static/chunks/none.js",
    "/_next/static/../../a.js",
  ]);
});
