import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
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
  const answer = await client.getBlockNumber().then(String, String);
  expect(asked).toEqual(["/v3/path-key?key=query-key", `Basic ${btoa("user:word")}`]);
  expect(answer).toContain(`127.0.0.1:${port}`);
  expect(answer).toContain("503");
  expect(answer).not.toMatch(/path-key|query-key|word/);
  node.closeAllConnections();
  node.close();
  await once(node, "close");
  expect(await client.getBlockNumber().then(String, String)).not.toMatch(/path-key|query-key/);
});

test("a question is asked anew while the same one is under way, because its answer may be older", async () => {
  const asked: { id: number; method: string }[] = [];
  const node = createServer(async (request, response) => {
    const calls = [JSON.parse(await text(request))].flat() as typeof asked;
    asked.push(...calls);
    const result = { number: `0x${asked.length}`, transactions: [] };
    const answer = calls.map(({ id, method }) => ({
      jsonrpc: "2.0",
      id,
      result: method === "eth_blockNumber" ? result.number : result,
    }));
    setTimeout(() => response.end(JSON.stringify(answer)), 100);
  }).listen(0, "127.0.0.1");
  await once(node, "listening");
  const { port } = node.address() as AddressInfo;
  const client = createChainClient({ rpcUrl: `http://127.0.0.1:${port}`, chainId: 84_532 });
  const askTwice = async (ask: () => Promise<unknown>) => {
    asked.length = 0;
    const first = ask();
    await expect.poll(() => asked.length).toBe(1);
    return Promise.all([first, ask()]);
  };
  expect(await askTwice(() => client.getBlockNumber())).toEqual([1n, 2n]);
  const readNumber = async () => (await client.getBlock({ blockNumber: 7n })).number;
  expect(await askTwice(readNumber)).toEqual([1n, 2n]);
  node.closeAllConnections();
  node.close();
});
