import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { bundled } from "@/lib/testing/bundled.ts";
import { toJson } from "../../protocol/json.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { readJournal } from "../queue/journal.ts";

let server: Server;
let child: ChildProcess;
let parent: string;
afterEach(() => {
  child.kill("SIGKILL");
  server.closeAllConnections();
  server.close();
  rmSync(parent, { recursive: true, force: true });
});

/** A service on a port that takes settlements and answers none of them. */
async function openHanging() {
  const service = createFakeService();
  const settled: string[] = [];
  server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const body = await text(request);
    if (url.endsWith("/x402/settle")) return void settled.push(JSON.parse(body).agentRequestId);
    const answer = await service.fetch(`http://service.test${url}`, {
      method,
      headers: headers as Record<string, string>,
      ...(method === "POST" && { body }),
    });
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(await answer.text());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, settled };
}

/** The journal of a process that ended. */
function leave(ids: string[]): string {
  parent = mkdtempSync(join(tmpdir(), "turnpike-script-"));
  const folder = join(parent, "settlements");
  mkdirSync(folder);
  const accepts = [{ scheme: "svc:erc4337", network: "eip155:84532", planId: "42" }];
  const resource = { url: "http://agent.test/ask" };
  const paymentRequired = { x402Version: 2, resource, accepts, extensions: {} };
  const lines = ids.map((agentRequestId) => {
    const input = { paymentRequired, x402AccessToken: tokenTextOf("42"), maxAmount: "1" };
    return toJson({
      keep: { kind: "settle", agentRequestId, input: { ...input, agentRequestId } },
    });
  });
  const path = join(folder, "gone~1~1~a.journal");
  writeFileSync(path, `${lines.join("\n")}\n`);
  // Its machine has been silent since.
  utimesSync(path, 0, 0);
  return folder;
}

test("a script ends soon after its last work while the service answers no settlement, and the next process has its journal", async () => {
  const { baseUrl, settled } = await openHanging();
  const left = Array.from({ length: 10 }, (_, index) => `left_in_the_journal_${index}`);
  const folder = leave(left);
  const script = bundled("lib/sdk/test-support/one-call.ts");
  child = spawn(process.execPath, [script, baseUrl, apiKeyOf(BUILDER), folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const [printed] = await once(child.stdout as NonNullable<typeof child.stdout>, "data");
  expect(String(printed)).toBe("200 done\n");
  const served = performance.now();
  expect(await ended).toEqual([0, null]);
  expect(performance.now() - served).toBeLessThan(11_000);
  // Those left were tried, and the script's own as well.
  expect(new Set(settled).size).toBeGreaterThan(8);
  const kept = readdirSync(folder).flatMap((name) =>
    readJournal(readFileSync(join(folder, name), "utf8")),
  );
  const own = settled.filter((id) => !left.includes(id));
  expect(new Set(kept.map(({ agentRequestId }) => agentRequestId))).toEqual(
    new Set([...left, ...own]),
  );
}, 120_000);
