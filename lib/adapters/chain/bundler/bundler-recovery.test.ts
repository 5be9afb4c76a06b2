import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeFunctionData, keccak256, stringToHex } from "viem";
import { privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type EmbeddedChain, startEmbeddedChain } from "@/lib/sandbox/chain/embedded-chain.ts";
import { plansAbi } from "../abis.ts";
import { createChainClient } from "../chain-client.ts";
import { deployContracts } from "../deploy.ts";
import { buildGrant, signGrant } from "../grants/grant.ts";
import { sessionKeyFromPrivateKey } from "../grants/session-key.ts";
import { pollUntil } from "../poll.ts";
import { createEventSums } from "../reconcile/event-sums.ts";
import { reconcileCredits } from "../reconcile/reconcile.ts";
import { smartAccount } from "../smart-account.ts";
import { freePlan, openTerms, testKey } from "../testing/chain-fixture.ts";
import { createMemoryBundlerStore } from "../testing/memory-bundler-store.ts";
import { createBundler } from "./bundler.ts";
import type { BurnOperation } from "./bundler-store.ts";
import { createTransactionSender } from "./transaction-sender.ts";

const PLAN = 42n;
const PEOPLE = 10;
const EACH = 30;
const settler = privateKeyToAccount(testKey("settler"));
let dataDir: string;
let chain: EmbeddedChain;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "turnpike-recovery-"));
  chain = await startEmbeddedChain({ dataDir, restart: false });
});
afterEach(async () => {
  await chain.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test("when the chain is killed in the middle of a burst, everything is included once after it returns", async () => {
  const deployment = await deployContracts({
    rpcUrl: chain.rpcUrl,
    settlerPrivateKey: testKey("settler"),
    admin: privateKeyToAddress(testKey("admin")),
    sandbox: true,
    journal: chain.journal,
  });
  const connect = () => {
    const client = createChainClient({ rpcUrl: chain.rpcUrl, chainId: chain.chainId });
    return { client, sender: createTransactionSender({ client, settler, journal: chain.journal }) };
  };
  let { client, sender } = connect();
  const operate = (functionName: "registerPlanFor" | "mintFor", args: unknown[]) =>
    sender.send({
      to: deployment.plans,
      data: encodeFunctionData({ abi: plansAbi, functionName, args } as Parameters<
        typeof encodeFunctionData
      >[0]),
      gas: 1_000_000n,
    });
  await operate("registerPlanFor", [PLAN, settler.address, freePlan]);
  const people = await Promise.all(
    Array.from({ length: PEOPLE }, async (_, i) => {
      const owner = testKey(`owner ${i}`);
      const account = smartAccount({ deployment, owner: privateKeyToAccount(owner).address });
      const sessionKey = sessionKeyFromPrivateKey(testKey(`session ${i}`));
      const unsigned = buildGrant({
        deployment,
        account: account.address,
        sessionKey: sessionKey.address,
        terms: openTerms,
        salt: 1n,
      });
      await operate("mintFor", [PLAN, account.address, 100n, keccak256(stringToHex(`order ${i}`))]);
      return {
        account,
        sessionKey,
        grant: await signGrant({ deployment, grant: unsigned, privateKey: owner }),
      };
    }),
  );
  const store = createMemoryBundlerStore();
  const settlementsOf = (round: number): BurnOperation[] =>
    people.map(({ account, grant }, i) => ({
      settlementId: `s-${round}-${i}`,
      planId: PLAN,
      holder: account.address,
      account,
      grant,
      amount: 2n,
      count: 1n,
      attempts: 0,
    }));
  const bundlerOptions = {
    deployment,
    store,
    lane: "settler",
    owner: "only",
    loadSessionKey: async (address: string) =>
      people.find(({ sessionKey }) => sessionKey.address === address)!.sessionKey,
  };
  const included = () => store.updates().filter(({ status }) => status === "included").length;

  const first = createBundler({ ...bundlerOptions, client, sender });
  first.start();
  let queued = 0;
  while (included() < PEOPLE * 5) {
    if (queued < 10) store.add(settlementsOf(queued++));
    first.wake();
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  const before = included();
  process.kill(chain.pid(), "SIGKILL");
  while (queued < EACH) store.add(settlementsOf(queued++));
  first.wake();
  await chain.exited();
  await first.stop();
  await chain.stop();

  chain = await startEmbeddedChain({ dataDir });
  expect(chain.replayed()).toBeGreaterThan(before / PEOPLE);
  ({ client, sender } = connect());
  const second = createBundler({ ...bundlerOptions, client, sender });
  second.start();
  const total = PEOPLE * EACH;
  await pollUntil(async () => (included() === total ? true : undefined), { timeoutMs: 20_000 });
  await second.stop();

  expect(included()).toBe(total);
  for (const { transaction } of store.updates()) {
    if (transaction === "") throw new Error("An included settlement has no transaction.");
    expect((await client.getTransactionReceipt({ hash: transaction })).status).toBe("success");
  }
  const ledger = people.map(({ account }) => ({
    account: account.address,
    planId: PLAN,
    balance: 100n - 2n * BigInt(EACH),
    pendingMints: 0n,
    pendingBurns: 0n,
  }));
  const block = await client.getBlockNumber();
  const burned = 2n * BigInt(EACH);
  const readMovements = async () => ({ minted: 100n, burned, takenBack: 0n, expired: 0n });
  const readEvents = createEventSums({ client, deployment });
  const pages = [ledger];
  expect(
    await reconcileCredits({ client, deployment, block, pages, readMovements, readEvents }),
  ).toMatchObject({
    difference: 0n,
    checked: PEOPLE,
  });
});
