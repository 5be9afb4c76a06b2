import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { runLoad } from "../bench/service.ts";
import { measureReads } from "../scripts/proof/measure.ts";
import { startSoakLoad, unwanted } from "../scripts/proof/soak-load.ts";

test("a read that fails has no time, and is named", async () => {
  const fail = async () => {
    throw new Error("relation does not exist");
  };
  const reading = measureReads({ "series, month": fail });
  await expect(reading).rejects.toThrow("series, month: relation does not exist");
});

async function openServer(status: number, body: string) {
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.writeHead(status).end(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

test.each([
  ["an error", 500, '{"isValid":true}'],
  ["a refusal", 200, '{"isValid":false}'],
])("a load that gets %s has no rate", async (_what, status, body) => {
  const { url, close } = await openServer(status, body);
  const plan = { url, path: "/verify", apiKey: "", connections: 1, secs: 1, bodies: ["{}"] };
  const loading = runLoad({ ...plan, expect: '"isValid":true' });
  await expect(loading).rejects.toThrow("calls failed").finally(close);
});

test("a soak in which every payment is declined counts each as unexpected", async () => {
  const { url, close } = await openServer(200, '{"success":false,"isValid":false}');
  const market = { builder: { apiKey: "" }, planId: "1", agentId: "2", endpoint: "/ask" };
  const load = startSoakLoad(url, { market: market as never, tokens: ["token"] });
  await expect.poll(() => unwanted(load)).toBeGreaterThan(20);
  await load.end();
  close();
  const unpaid = ["verify 200 declined", "settle 200 declined", "unknownKey 200 declined"];
  const counts = unpaid.map((name) => load.statuses[name] ?? 0);
  expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(unwanted(load)).toBe(counts.reduce((sum, count) => sum + count));
});
