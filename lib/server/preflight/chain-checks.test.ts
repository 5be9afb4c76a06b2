import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeDeployment } from "@/lib/adapters/chain/deployment.ts";
import {
  type ChainFixture,
  startChainFixture,
} from "@/lib/adapters/chain/testing/chain-fixture.ts";
import {
  METHOD_NOT_FOUND,
  type SaysInstead,
  startNodeInFront,
} from "@/lib/adapters/chain/testing/node-in-front.ts";
import { chainChecks } from "./chain-checks.ts";
import { type CheckResult, runCheck } from "./check.ts";

let chain: ChainFixture;
let deploymentsFile: string;

beforeAll(async () => {
  chain = await startChainFixture();
  deploymentsFile = join(chain.dataDir, "deployments.json");
});
afterAll(() => chain.stop());

/** What the preflight's checks of the chain say of a node that answers some questions otherwise. */
async function checkNode(
  instead: SaysInstead,
  deployment = chain.deployment,
): Promise<CheckResult[]> {
  writeDeployment(deploymentsFile, deployment);
  const node = await startNodeInFront(() => chain.chain.rpcUrl, instead);
  const { chainId } = chain.deployment;
  const checks = chainChecks(
    { rpcUrl: node.rpcUrl, chainId, deploymentsFile, settlerPrivateKey: chain.settlerKey },
    { network: `eip155:${chainId}`, now: () => new Date() },
  );
  const results: CheckResult[] = [];
  for (const check of checks) results.push(await runCheck(check));
  node.close();
  return results;
}

const failedOf = (results: CheckResult[]) => results.filter(({ ok }) => !ok);

test("a node that answers all that the service asks passes", async () => {
  const results = await checkNode(() => undefined);
  expect(failedOf(results)).toEqual([]);
  expect(results.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["chain events", "chain simulation"]),
  );
});

test.each([
  ["chain events", "eth_getLogs"],
  ["chain simulation", "eth_simulateV1"],
])("%s fails at a node without %s, and says what to do", async (name, method) => {
  const results = await checkNode((call) =>
    call.method === method ? METHOD_NOT_FOUND : undefined,
  );
  expect(failedOf(results)).toMatchObject([
    { name, cause: expect.stringContaining(method), remedy: expect.stringContaining(method) },
  ]);
});

test("chain events fails at a node that answers for fewer blocks than the service asks for at once", async () => {
  const results = await checkNode(({ method, params }) => {
    if (method !== "eth_getLogs") return undefined;
    const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
    const blocks = BigInt(toBlock) - BigInt(fromBlock) + 1n;
    const error = { code: -32000, message: "block range too large" };
    return blocks > 1n ? { error } : undefined;
  });
  expect(failedOf(results)).toMatchObject([
    { name: "chain events", remedy: expect.stringContaining("2000 blocks") },
  ]);
});

test.each(["captures", "periodLimits"] as const)(
  "a deployments file without %s fails, and says how to add it",
  async (name) => {
    const { [name]: _, ...earlier } = chain.deployment;
    const results = await checkNode(() => undefined, earlier);
    expect(failedOf(results)).toMatchObject([
      {
        cause: expect.stringContaining(`names no ${name}`),
        remedy: expect.stringContaining("chain:deploy"),
      },
    ]);
  },
);
