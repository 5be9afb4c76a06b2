import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { installLine } from "@/lib/playground/export-code.ts";
import { withDownloads } from "./downloads.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
  vi.unstubAllEnvs();
});

async function serve() {
  const errors: unknown[] = [];
  const log = { info() {}, warn() {}, error: (fields: unknown) => errors.push(fields) };
  const handler = withDownloads((_request, response) => response.writeHead(404).end("page"), log);
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, errors };
}

test("a package is served as npm packs it, and other paths are pages", async () => {
  const { origin } = await serve();
  const packed = await fetch(`${origin}/downloads/create-turnpike-agent.tgz`);
  expect([packed.status, packed.headers.get("content-type")]).toEqual([200, "application/gzip"]);
  expect(new Uint8Array(await packed.arrayBuffer()).slice(0, 2)).toEqual(new Uint8Array([31, 139]));
  const other = await fetch(`${origin}/downloads/other.tgz`);
  expect(await other.text()).toBe("page");
});

test("why a package could not be packed is logged, and not told", async () => {
  vi.stubEnv("PATH", "/nowhere");
  const { origin, errors } = await serve();
  const failed = await fetch(`${origin}/downloads/create-turnpike-agent.tgz`);
  expect([failed.status, await failed.text()]).toEqual([
    503,
    "create-turnpike-agent could not be packed. The log says why.",
  ]);
  expect(errors).toHaveLength(1);
});

test("samples install the package from the service, never from a registry", () => {
  expect(installLine("https://pay.example", " express")).toBe(
    "// npm install https://pay.example/downloads/turnpike-payments.tgz express",
  );
});
