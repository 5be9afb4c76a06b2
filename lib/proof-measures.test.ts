import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { runLoad } from "../bench/service.ts";
import { measureReads } from "../scripts/proof/measure.ts";

test("a read that fails has no time, and is named", async () => {
  const fail = async () => {
    throw new Error("relation does not exist");
  };
  const reading = measureReads({ "series, month": fail });
  await expect(reading).rejects.toThrow("series, month: relation does not exist");
});

test.each([
  ["an error", 500, '{"isValid":true}'],
  ["a refusal", 200, '{"isValid":false}'],
])("a load that gets %s has no rate", async (_what, status, body) => {
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.writeHead(status).end(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const loading = runLoad({
    url: `http://127.0.0.1:${port}`,
    path: "/verify",
    apiKey: "",
    connections: 1,
    secs: 1,
    bodies: ["{}"],
    expect: '"isValid":true',
  });
  await expect(loading)
    .rejects.toThrow("calls failed")
    .finally(() => server.close());
});
