import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeDeployment } from "@/lib/adapters/chain/deployment.ts";
import { deploymentWithoutChain } from "@/lib/adapters/chain/free-rail.ts";
import { silentProgress } from "../progress.ts";
import { openChain } from "./open-chain.ts";

const CHAIN_ID = 84532;
const folder = mkdtempSync(join(tmpdir(), "turnpike-open-chain-"));
const deploymentsFile = join(folder, "deployments.json");
let actual = CHAIN_ID;
const node = createServer((request, response) => {
  let text = "";
  request.on("data", (chunk) => {
    text += chunk;
  });
  request.on("end", () => {
    const answers = [JSON.parse(text)]
      .flat()
      .map(({ id }) => ({ jsonrpc: "2.0", id, result: `0x${actual.toString(16)}` }));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(text.startsWith("[") ? answers : answers[0]));
  });
});

beforeAll(async () => {
  writeDeployment(deploymentsFile, deploymentWithoutChain(CHAIN_ID));
  await new Promise<void>((started) => node.listen(0, "127.0.0.1", started));
});
afterAll(() => {
  node.closeAllConnections();
  node.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = (rpcUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`) => {
  const settlerPrivateKey = "1".repeat(64);
  return openChain(
    { rpcUrl, chainId: CHAIN_ID, deploymentsFile, settlerPrivateKey },
    silentProgress,
  );
};

test("a node of the chain opens it", async () => {
  expect(await open()).toMatchObject({ deployment: { chainId: CHAIN_ID } });
});

test("a node of another chain stops the start, and names both chains", async () => {
  actual = 1;
  await expect(open()).rejects.toThrow(
    "The node is of chain 1, and the contracts are on chain 84532. Correct CHAIN_RPC_URL or CHAIN_ID.",
  );
});

test("a node that is away does not stop the start", async () => {
  expect(await open("http://127.0.0.1:9")).toMatchObject({ deployment: { chainId: CHAIN_ID } });
});

test("a database that was made for contracts keeps them while their chain is left out", () => {
  const plans = "0x1111111111111111111111111111111111111111";
  const never = deploymentWithoutChain(CHAIN_ID);
  writeDeployment(deploymentsFile, { ...never, plans });
  const chosen = (known?: string, file = deploymentsFile) =>
    deploymentWithoutChain(CHAIN_ID, { deploymentsFile: file, plans: known }).plans;
  expect(chosen(plans)).toBe(plans);
  for (const known of [undefined, never.plans]) expect(chosen(known)).toBe(never.plans);
  expect(chosen(plans, join(folder, "missing.json"))).toBe(never.plans);
});
