import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { FOREIGN_PATHS } from "@/lib/playground/lab-places.ts";
import { ownUrl } from "@/lib/server/own-url.ts";
import { freePort } from "@/lib/testing/free-port.ts";
import { startDemoAgent } from "./demo-agent.ts";
import { SANDBOX } from "./testing/story-fixture.ts";

const foreign = vi.hoisted(() => ({ loaded: 0 }));
vi.mock("./foreign-agents.ts", async (original) => {
  foreign.loaded += 1;
  return original();
});

test("behind a public origin, the demo agent calls the service on this machine", async () => {
  const asked: string[] = [];
  const service = createServer(({ url = "" }, response) => {
    asked.push(url);
    response.writeHead(404, { "content-type": "application/json" }).end('{"code":"not_found"}');
  });
  await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening));
  const dataDir = mkdtempSync(join(tmpdir(), "turnpike-agent-"));
  const port = await freePort();
  const stop = await startDemoAgent(
    { ...SANDBOX, url: "https://pay.example.com" },
    {
      baseUrl: ownUrl({ host: "0.0.0.0", port: (service.address() as AddressInfo).port }),
      port,
      host: "127.0.0.1",
      dataDir,
    },
  );
  await fetch(`http://127.0.0.1:${port}/ask`, { method: "POST", body: "{}" });
  await stop();
  service.close();
  rmSync(dataDir, { recursive: true });
  expect(asked).not.toEqual([]);
});

test("sellers of the stock middleware are loaded with the first request to one", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "turnpike-agent-"));
  const port = await freePort();
  const baseUrl = "http://127.0.0.1:1";
  const facilitatorKey = `0x${"1".repeat(64)}` as const;
  const stop = await startDemoAgent(SANDBOX, {
    ...{ baseUrl, port, dataDir, facilitatorKey },
    host: "127.0.0.1",
  });
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  expect((await ask("/")).status).toBe(200);
  expect(foreign.loaded).toBe(0);
  await ask(FOREIGN_PATHS.hono);
  expect(foreign.loaded).toBe(1);
  await stop();
  rmSync(dataDir, { recursive: true });
});
