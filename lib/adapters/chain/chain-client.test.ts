import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createChainClient } from "./chain-client.ts";

test("a node is asked with the key in its address, and no error tells it", async () => {
  const asked: (string | undefined)[] = [];
  const node = createServer((request, response) => {
    asked.push(request.url, request.headers.authorization);
    response.writeHead(503).end("{}");
  }).listen(0, "127.0.0.1");
  await once(node, "listening");
  const { port } = node.address() as AddressInfo;
  const rpcUrl = `http://user:word@127.0.0.1:${port}/v3/path-key?key=query-key`;
  const client = createChainClient({ rpcUrl, chainId: 84_532 });
  const text = await client.getBlockNumber().then(String, String);
  expect(asked).toEqual(["/v3/path-key?key=query-key", `Basic ${btoa("user:word")}`]);
  expect(text).toContain(`127.0.0.1:${port}`);
  expect(text).toContain("503");
  expect(text).not.toMatch(/path-key|query-key|word/);
  node.closeAllConnections();
  node.close();
  await once(node, "close");
  expect(await client.getBlockNumber().then(String, String)).not.toMatch(/path-key|query-key/);
});
