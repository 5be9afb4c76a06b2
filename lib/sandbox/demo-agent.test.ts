import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownUrl } from "@/lib/server/own-url.ts";
import { freePort } from "@/lib/testing/free-port.ts";
import { startDemoAgent } from "./demo-agent.ts";
import { SANDBOX } from "./testing/story-fixture.ts";

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
